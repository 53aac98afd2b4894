/**
 * A treated series beside its control series, evenly spaced: the pre-period, then the window. Everything that is learnt is
 * learnt on the days before the window that have a value of y.
 */
export interface Panel {
  /** NaN: missing. */
  y: Float64Array;
  controls: Float64Array[];
  /** Periods before the window. */
  preLength: number;
  period: 7 | 1;
}

/** Location and spread of a series before the window; sd with divisor n − 1, 0 for fewer than two values. */
export interface Scale {
  mean: number;
  sd: number;
}

/** Below this share of its mean a spread is rounding. */
const ROUNDING = 1e-9;

/** The days before the window whose outcome is known. */
export function knownDays({ y, preLength }: Panel): Int32Array {
  return daysWithValue(y, 0, preLength);
}

/** The indices in from..to-1 at which the series has a value. */
export function daysWithValue(series: Float64Array, from: number, to: number): Int32Array {
  const days: number[] = [];
  for (let day = from; day < to; day += 1) if (!Number.isNaN(series[day])) days.push(day);
  return Int32Array.from(days);
}

export function scaleOf(series: Float64Array, days: Int32Array): Scale {
  let sum = 0;
  for (const day of days) sum += series[day] ?? 0;
  const mean = days.length === 0 ? 0 : sum / days.length;
  let squares = 0;
  for (const day of days) {
    const distance = (series[day] ?? 0) - mean;
    squares += distance * distance;
  }
  return { mean, sd: days.length < 2 ? 0 : Math.sqrt(squares / (days.length - 1)) };
}

/** Whether a series of that scale never changes. */
export function isConstant({ mean, sd }: Scale): boolean {
  return !(sd > ROUNDING * Math.abs(mean));
}

export function standardise(series: Float64Array, { mean, sd }: Scale): Float64Array {
  return series.map((value) => (value - mean) / sd);
}
