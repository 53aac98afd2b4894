import { at } from '../linalg/dot.js';

/** How the treated series is compared, by the number of controls. */
export type Comparison = 'donors' | 'regression' | 'history';

/** What the covariance is made of; rows for every period of pre-period and window. */
export interface Components {
  /** One comparison series, or null without controls. */
  c: Float64Array | null;
  /** Σ_k x_k,i · x_k,j over the standardised controls, row-major; null without controls. */
  products: Float64Array | null;
  size: number;
  period: 7 | 1;
}

/** Variances in units of the noise's. */
export interface Setting {
  /** Of the coefficient of the comparison series. */
  common: number;
  /** Of the coefficient of each control. */
  each: number;
  /** Of the effect of a weekday. */
  weekday: number;
  /** Of a step of the random walk. */
  walk: number;
  /** Of the short-lived deviation. */
  wave: number;
}

const LEVEL = 1000;
/** Correlation of the short-lived deviation between neighbouring periods. */
const DECAY = 0.9;
const WEEK = 7;
/** From so many known days on a season within the week can be learnt. */
const WEEKDAY_DAYS = 14;

/**
 * Donors have a widest walk of .4 beside those of the design: where places wander by half their noise a day, coverage before
 * calibration rises from .78 to .83 (200 simulated panels); on GeoLift's cities it stays at .83.
 */
const RANGES: Record<Comparison, { common: number; each: readonly number[]; walks: readonly number[] }> = {
  donors: { common: 0.09, each: [0.0025, 0.04], walks: [0, 0.02, 0.05, 0.15, 0.4] },
  regression: { common: 400, each: [0.04, 0.25, 1, 4, 16], walks: [0, 0.01, 0.03, 0.1, 0.25] },
  history: { common: 0, each: [0], walks: [0, 0.01, 0.03, 0.1, 0.25] },
};
const WAVES: readonly number[] = [0, 0.7, 1.5];
const WEEKDAYS: readonly number[] = [0.15, 1.5];

/** Every setting that is averaged over, in a fixed order. */
export function settings(comparison: Comparison, period: 7 | 1, knownDays: number): Setting[] {
  const { common, each: perControl, walks } = RANGES[comparison];
  const weekdays = period === WEEK && knownDays >= WEEKDAY_DAYS ? WEEKDAYS : [0];
  return perControl.flatMap((each) =>
    walks.flatMap((walk) =>
      WAVES.flatMap((wave) =>
        weekdays.map((weekday) => ({ common, each, weekday: weekday * weekday, walk: walk * walk, wave: wave * wave })),
      ),
    ),
  );
}

/**
 * The covariance between two periods, counted from 0 at the start of the pre-period, without the noise of an observation:
 * 1000 + v_c·c_i·c_j + v_x·Σ x_i·x_j + d²·[same weekday] + ρ²·min(i, j) + ω²·.9^|i−j|, in units of σ².
 */
export function covarianceOf(components: Components, setting: Setting): (i: number, j: number) => number {
  const { c, products, size } = components;
  const { common, each, weekday, walk, wave } = setting;
  const decayed = new Float64Array(size);
  for (let gap = 0, value = wave; gap < size; gap += 1, value *= DECAY) decayed[gap] = value;
  return (i, j) => {
    const gap = i < j ? j - i : i - j;
    let value = LEVEL + walk * (i < j ? i : j) + at(decayed, gap);
    if (c !== null) value += common * at(c, i) * at(c, j);
    if (products !== null) value += each * at(products, i * size + j);
    return gap % WEEK === 0 ? value + weekday : value;
  };
}

/** Σ_k x_k,i · x_k,j of the series, size × size, row-major; null without series. */
export function productsOf(series: Float64Array[], size: number): Float64Array | null {
  if (series.length === 0) return null;
  const products = new Float64Array(size * size);
  for (const x of series) {
    for (let i = 0; i < size; i += 1) {
      const value = at(x, i);
      for (let j = 0; j <= i; j += 1) products[i * size + j] = at(products, i * size + j) + value * at(x, j);
    }
  }
  for (let i = 0; i < size; i += 1) for (let j = 0; j < i; j += 1) products[j * size + i] = at(products, i * size + j);
  return products;
}
