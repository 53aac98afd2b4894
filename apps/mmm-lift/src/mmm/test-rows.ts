import { at } from '../linalg/dot.js';
import { GRID } from './grid.js';
import type { MixInputTest } from './mix-input.js';
import type { FittedChannel } from './problem.js';

/** A lift test as an observation of one channel: value ~ N(q·g(θ), se²), all per unit of tested spend. */
export interface TestRow {
  readonly test: MixInputTest;
  /** Index of its channel. */
  readonly channel: number;
  /** The return that a share of 1 would mean, by grid point. */
  readonly g: Float64Array;
}

/**
 * The rows of the tests whose channel is fitted and had tested spend:
 *
 *     g(θ) = [ Σ (F(A_t) − F(A⁰_t)) / Σ F(A) ] · Y / Σ φ_t·x_t
 *
 * with A⁰ the adstock of the spend that was not tested; the first sum runs over the weeks that the test touches.
 *
 * @param total Y, the raw target over the likelihood
 */
export function testRows(
  tests: readonly MixInputTest[],
  channels: readonly FittedChannel[],
  likelihood: Int32Array,
  total: number,
): TestRow[] {
  return [...tests].sort(inOrder).flatMap((test) => {
    const channel = channels.findIndex(({ input }) => input.slug === test.channel);
    const fitted = channels[channel];
    const g = fitted === undefined ? undefined : returns(test, fitted, likelihood, total);
    return g === undefined ? [] : [{ test, channel, g }];
  });
}

function returns(
  { from, to, tested, se }: MixInputTest,
  { input, response, h }: FittedChannel,
  likelihood: Int32Array,
  total: number,
): Float64Array | undefined {
  const length = input.spend.length;
  const part = input.spend.map((_, t) => Math.min(Math.max(tested[t] ?? 0, 0), 1));
  const without = Float64Array.from(input.spend, (x, t) => x * (1 - (part[t] ?? 0)));
  let spend = 0;
  for (const t of likelihood) spend += (input.spend[t] ?? 0) * (part[t] ?? 0);
  if (!(spend > 0 && se > 0)) return undefined;
  const touched = likelihood.filter((t) => t >= from && t <= to);
  // h is F/ΣF times the number of weeks.
  const scale = total / (likelihood.length * spend);
  return Float64Array.from(GRID, (point, g) => {
    const remaining = response.alternative(point, without);
    let sum = 0;
    for (const t of touched) sum += at(h, g * length + t) - at(remaining, t);
    return scale * sum;
  });
}

function inOrder(a: MixInputTest, b: MixInputTest): number {
  const order = [
    a.channel < b.channel ? -1 : a.channel > b.channel ? 1 : 0,
    a.from - b.from,
    a.to - b.to,
    a.value - b.value,
    a.se - b.se,
  ];
  return order.find((difference) => difference !== 0) ?? 0;
}
