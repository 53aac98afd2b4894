import { at } from '../linalg/dot.js';
import { Random } from '../random/random.js';
import { Chain } from './chain.js';
import { checkInput } from './check-input.js';
import { emptyDraws } from './draws.js';
import type { MixInput } from './mix-input.js';
import { NO_POINT } from './effect.js';
import { problemOf, type Problem } from './problem.js';
import { whiten } from './whitened.js';

const WARM_UP = 120;
const KEPT = 80;
/** Noise deviations from which on a week is an outlier. */
const SURPRISE = 3.6;
/** Outliers at most, as a part of the weeks. */
const MOST_OUTLIERS = 0.04;

/** What is settled before the fit proper. */
export interface PreFit {
  /** Calendar weeks that get a dummy. */
  outliers: number[];
  /** What the model without any test says that each test should find, in the order of `Problem.tests`. */
  predicted: number[];
}

/**
 * A short fit without lift tests: finds the weeks that nothing explains, and compares tests with a model that does not know them.
 *
 * @throws RunFailure as `checkInput`
 */
export function preFit(input: MixInput): PreFit {
  checkInput(input);
  const problem = problemOf(input);
  const n = problem.likelihood.length;
  const chain = new Chain(problem, whiten(problem), [], Random.stream(input.seed, 'pre-fit', 0), 0);
  chain.skip(WARM_UP);
  const draws = emptyDraws(1, KEPT, problem.channels.length);
  const surprise = new Float64Array(n);
  chain.keep(draws, 0, KEPT, (residual, sigma2) => {
    const sd = Math.sqrt(sigma2);
    for (let i = 0; i < n; i += 1) surprise[i] = at(surprise, i) + at(residual, i) / sd / KEPT;
  });
  const predicted = problem.tests.map(({ channel, g }) => {
    let sum = 0;
    for (let draw = 0; draw < KEPT; draw += 1) {
      const place = draw * draws.channels + channel;
      const point = draws.point[place] ?? NO_POINT;
      if (point !== NO_POINT) sum += at(draws.share, place) * at(g, point);
    }
    return sum / KEPT;
  });
  return { outliers: outlierWeeks(surprise, problem), predicted };
}

/** The weeks of the largest surprises, by date. */
function outlierWeeks(surprise: Float64Array, { likelihood }: Problem): number[] {
  const most = Math.max(1, Math.floor(MOST_OUTLIERS * likelihood.length));
  return Array.from(likelihood, (week, i) => ({ week, size: Math.abs(at(surprise, i)) }))
    .filter(({ size }) => size > SURPRISE)
    .sort((a, b) => b.size - a.size || a.week - b.week)
    .slice(0, most)
    .map(({ week }) => week)
    .sort((a, b) => a - b);
}
