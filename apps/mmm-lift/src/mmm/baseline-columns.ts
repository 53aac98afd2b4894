import { at, dot } from '../linalg/dot.js';
import { positionInYear } from './calendar.js';

/** Prior variances of coefficients, in units of the noise variance. */
const VARIANCE = { constant: 1e4, trend: 400, season: 25, peak: 4, control: 25, outlier: 1e3 };
const WEEKS_IN_YEAR = 52.1775;
/** Positions in the year of the days before Christmas that shops live on: around Black Friday, and the week of Christmas. */
const PEAKS = [
  { from: 46.4, to: 48.1 },
  { from: 50, to: 51.6 },
] as const;

/** The linear terms of the baseline: one row for each calendar week, each column multiplied by the root of its variance. */
export interface BaselineColumns {
  readonly values: Float64Array;
  readonly width: number;
  /** Columns of the season, sine and cosine. */
  readonly fourier: number;
}

/** Pairs of sine and cosine that so many weeks can tell apart. */
function harmonics(weeks: number): number {
  return weeks >= 80 ? 3 : weeks >= 52 ? 2 : 1;
}

/**
 * @param weeks Sundays
 * @param n weeks in the likelihood
 * @param controls standardised, one value for each calendar week
 * @param outliers calendar weeks with an effect of their own
 */
export function baselineColumns(
  weeks: readonly string[],
  n: number,
  controls: readonly Float64Array[],
  outliers: readonly number[],
): BaselineColumns {
  const length = weeks.length;
  const positions = weeks.map(positionInYear);
  const columns: Float64Array[] = [];
  const add = (variance: number, value: (t: number) => number): void => {
    columns.push(Float64Array.from({ length }, (_, t) => Math.sqrt(variance) * value(t)));
  };
  const angle = (t: number): number => (2 * Math.PI * (positions[t] ?? 0)) / WEEKS_IN_YEAR;
  add(VARIANCE.constant, () => 1);
  add(VARIANCE.trend, (t) => (t - (length - 1) / 2) / (length / 2));
  for (let k = 1; k <= harmonics(n); k += 1) {
    add(VARIANCE.season / k, (t) => Math.sin(k * angle(t)));
    add(VARIANCE.season / k, (t) => Math.cos(k * angle(t)));
  }
  for (const { from, to } of PEAKS) {
    const inside = positions.map((position) => position >= from && position < to);
    if (inside.includes(true)) add(VARIANCE.peak, (t) => (inside[t] === true ? 1 : 0));
  }
  for (const control of controls) add(VARIANCE.control, (t) => at(control, t));
  for (const outlier of outliers) add(VARIANCE.outlier, (t) => (t === outlier ? 1 : 0));
  return { values: byWeek(columns, length), width: columns.length, fourier: 2 * harmonics(n) };
}

function byWeek(columns: readonly Float64Array[], length: number): Float64Array {
  const values = new Float64Array(length * columns.length);
  columns.forEach((column, j) => {
    for (let t = 0; t < length; t += 1) values[t * columns.length + j] = at(column, t);
  });
  return values;
}

/**
 * The prior covariance of the baseline between two calendar weeks, in units of the noise variance: Σ var·col·col + ρ²·min(s, t),
 * the second part being a random walk that starts at week 0.
 */
export function baselineCovariance({ values, width }: BaselineColumns, rho: number, s: number, t: number): number {
  return dot(values, s * width, values, t * width, width) + rho * rho * Math.min(s, t);
}
