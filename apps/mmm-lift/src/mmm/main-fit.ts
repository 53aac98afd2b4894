import { Random } from '../random/random.js';
import { Chain } from './chain.js';
import { MOST_RHAT, rhat } from './convergence.js';
import { emptyDraws, type Draws } from './draws.js';
import type { MixInput } from './mix-input.js';
import type { PreFit } from './pre-fit.js';
import { problemOf } from './problem.js';
import { whiten } from './whitened.js';

export const CHAINS = 4;
export const WARM_UP = 300;
export const KEPT = 600;

/** The posterior. Arrays by channel follow `Problem.channels`. */
export interface MainFit {
  draws: Draws;
  rhat: number[];
  converged: boolean;
}

/** The fit proper, with lift tests: four chains, run on for twice the draws unless they agree. */
export function fitMain(input: MixInput, { outliers }: PreFit): MainFit {
  const problem = problemOf(input, { outliers });
  const whitened = whiten(problem);
  const chains = Array.from({ length: CHAINS }, (_, index) => {
    const random = Random.stream(input.seed, 'main', index);
    return new Chain(problem, whitened, problem.tests, random, index);
  });
  for (const chain of chains) chain.skip(WARM_UP);
  const first = keepDraws(chains, KEPT, problem.channels.length);
  // What has been drawn becomes a longer warm-up of the second attempt.
  return first.converged ? first : keepDraws(chains, 2 * KEPT, problem.channels.length);
}

function keepDraws(chains: readonly Chain[], length: number, channels: number): MainFit {
  const draws = emptyDraws(chains.length, length, channels);
  chains.forEach((chain, index) => {
    chain.keep(draws, index * length, length);
  });
  const rhats = Array.from({ length: channels }, (_, channel) => rhat(draws, channel));
  return { draws, rhat: rhats, converged: rhats.every((value) => value < MOST_RHAT) };
}
