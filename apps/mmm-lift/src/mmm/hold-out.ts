import { at, dot } from '../linalg/dot.js';
import { quantile } from '../linalg/quantile.js';
import { Random } from '../random/random.js';
import { Baseline } from './baseline.js';
import { Chain } from './chain.js';
import { isConstant, LEAST_WEEKS } from './check-input.js';
import { emptyDraws, type Draws } from './draws.js';
import { NO_POINT } from './effect.js';
import { RHOS } from './level.js';
import { CHAINS, KEPT, WARM_UP } from './main-fit.js';
import type { MixInput } from './mix-input.js';
import type { PreFit } from './pre-fit.js';
import { problemOf, type Problem } from './problem.js';
import { whiten } from './whitened.js';

const HELD_OUT = 0.12;
/** Draws compared with the fit proper. */
const FEWER = 3;
const LOW = 0.05;
const HIGH = 0.95;

/** How the model did on the last weeks without knowing them. */
export interface HoldOut {
  weeks: number;
  /** Mean of |predicted − y|/y over held-out weeks with y > 0; null without any. */
  mape: number | null;
  /** Part of the weeks inside their 90 % band. */
  inBand: number;
}

/** Fits without the last 12 % of weeks and predicts them; null when too few are left to fit. */
export function holdOut(input: MixInput, { outliers }: PreFit): HoldOut | null {
  const known = input.y.flatMap((value, t) => (value === null ? [] : [{ t, value }]));
  const length = known.length - Math.ceil(HELD_OUT * known.length);
  const train = known.slice(0, length);
  const last = train.at(-1);
  if (last === undefined || length < LEAST_WEEKS || isConstant(train.map(({ value }) => value))) return null;
  if (!(train.reduce((sum, { value }) => sum + value, 0) > 0)) return null;
  const problem = problemOf(input, { outliers: outliers.filter((week) => week <= last.t), length });
  const draws = fitTraining(problem, input.seed, last.t);
  const tested = known.slice(length);
  const predictions = predict(
    problem,
    draws,
    tested.map(({ t }) => t),
    Random.stream(input.seed, 'hold-out-noise', 0),
  );
  const positive = tested.flatMap(({ value }, i) =>
    value > 0 ? [Math.abs((predictions[i]?.mean ?? 0) - value) / value] : [],
  );
  const inside = tested.filter(({ value }, i) => {
    const { low = 0, high = 0 } = predictions[i] ?? {};
    return value >= low && value <= high;
  });
  return {
    weeks: tested.length,
    mape: positive.length === 0 ? null : positive.reduce((sum, error) => sum + error, 0) / positive.length,
    inBand: inside.length / tested.length,
  };
}

/** Knows the lift tests that were over by then. */
function fitTraining(problem: Problem, seed: number, lastWeek: number): Draws {
  const whitened = whiten(problem);
  const tests = problem.tests.filter(({ test }) => test.to <= lastWeek);
  const length = KEPT / FEWER;
  const draws = emptyDraws(CHAINS, length, problem.channels.length);
  for (let index = 0; index < CHAINS; index += 1) {
    const chain = new Chain(problem, whitened, tests, Random.stream(seed, 'hold-out', index), index);
    chain.skip(WARM_UP / FEWER);
    chain.keep(draws, index * length, length);
  }
  return draws;
}

interface Prediction {
  mean: number;
  low: number;
  high: number;
}

/** Per draw Σ q·h + k*ᵀV⁻¹r with variance σ²(k** + 1 − k*ᵀV⁻¹k*), in raw units. */
function predict(problem: Problem, draws: Draws, weeks: readonly number[], random: Random): Prediction[] {
  const { likelihood, columns, meanTarget } = problem;
  const n = likelihood.length;
  const levels = RHOS.map((rho) => {
    const baseline = new Baseline(columns, rho, likelihood);
    const weights = weeks.map((week) => baseline.solve(baseline.covariances(week)));
    return { weights, variances: weeks.map((week) => baseline.predictiveVariance(week)) };
  });
  const count = draws.chains * draws.length;
  const means = weeks.map(() => new Float64Array(count));
  const values = weeks.map(() => new Float64Array(count));
  const rest = new Float64Array(n);
  for (let draw = 0; draw < count; draw += 1) {
    const level = levels[draws.rho[draw] ?? 0];
    for (let i = 0; i < n; i += 1) rest[i] = at(problem.y, i) - media(problem, draws, draw, likelihood[i] as number);
    weeks.forEach((week, w) => {
      const weights = level?.weights[w] ?? new Float64Array(n);
      const mean = media(problem, draws, draw, week) + dot(weights, 0, rest, 0, n);
      const sd = Math.sqrt(at(draws.sigma2, draw) * (level?.variances[w] ?? 0));
      (means[w] ?? rest)[draw] = mean * meanTarget;
      (values[w] ?? rest)[draw] = (mean + sd * random.normal()) * meanTarget;
    });
  }
  return weeks.map((_, w) => {
    const sorted = (values[w] ?? rest).sort();
    const total = means[w]?.reduce((sum, mean) => sum + mean, 0) ?? 0;
    return { mean: total / count, low: quantile(sorted, LOW), high: quantile(sorted, HIGH) };
  });
}

/** Σ q·h of one draw in a calendar week. */
function media({ channels, weeks }: Problem, draws: Draws, draw: number, week: number): number {
  let sum = 0;
  for (let c = 0; c < channels.length; c += 1) {
    const place = draw * channels.length + c;
    const point = draws.point[place] as number;
    const h = channels[c]?.h;
    if (point !== NO_POINT && h !== undefined) sum += at(draws.share, place) * at(h, point * weeks.length + week);
  }
  return sum;
}
