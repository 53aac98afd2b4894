import { quantile } from '../linalg/quantile.js';

/** Robust sds by which a ratio must jump. */
const JUMP = 4;
/** Days on either side of a jump. */
const SHORTEST_SIDE = 7;
/** Below, a jump cannot be told from a drift. */
const SHORTEST_SERIES = 28;
/** The share of a normal sample's sd that its median absolute deviation is, inverted. */
const MAD_TO_SD = 1.4826;
/** More than half a series may be the same value, and its median deviation nothing. */
const LEAST_SHARE_OF_SD = 0.5;
/** With two controls nobody can tell which of them broke. */
const FEWEST_CONTROLS = 3;

/**
 * The controls whose level broke before the window: their ratio to the sum of the others jumps by more than 4 robust standard
 * deviations. The worst goes first, since its break stands, mirrored, in the ratios of all the others.
 *
 * @param controls rows of equal length
 * @param days that are looked at
 * @returns indices of the broken ones, in the order in which they were found
 */
export function levelBreaks(controls: Float64Array[], days: Int32Array): number[] {
  if (days.length < SHORTEST_SERIES) return [];
  const sums = days.reduce<Map<number, number>>(
    (map, day) =>
      map.set(
        day,
        controls.reduce((sum, control) => sum + (control[day] ?? 0), 0),
      ),
    new Map(),
  );
  const standing = new Set(controls.keys());
  const broken: number[] = [];
  while (standing.size >= FEWEST_CONTROLS) {
    const worst = worstJump(controls, standing, days, sums);
    if (worst.jump <= JUMP) break;
    standing.delete(worst.index);
    broken.push(worst.index);
    for (const [day, sum] of sums) sums.set(day, sum - (controls[worst.index]?.[day] ?? 0));
  }
  return broken;
}

function worstJump(
  controls: Float64Array[],
  standing: Set<number>,
  days: Int32Array,
  sums: Map<number, number>,
): { index: number; jump: number } {
  let worst = { index: -1, jump: 0 };
  for (const index of standing) {
    const ratios: number[] = [];
    for (const day of days) {
      const own = controls[index]?.[day] ?? 0;
      const others = (sums.get(day) ?? 0) - own;
      if (others > 0) ratios.push(own / others);
    }
    const jump = jumpOf(ratios);
    if (jump > worst.jump) worst = { index, jump };
  }
  return worst;
}

/**
 * The size of the likeliest single step of a series in robust standard deviations: the step that leaves the least squares, its
 * height the difference of the levels on its two sides, the deviation that around them. A drift and a wandering level stand in
 * the deviation and are no step. Of medians and means the one counts that says less: a single day moves only the mean, a place
 * with a sale every other day only the median.
 */
export function jumpOf(series: readonly number[]): number {
  if (series.length < SHORTEST_SERIES) return 0;
  const split = likeliestSplit(series);
  const sides = [series.slice(0, split), series.slice(split)] as const;
  const height = Math.min(distance(sides, median), distance(sides, mean));
  if (height === 0) return 0;
  const sd = Math.max(
    MAD_TO_SD * median(deviations(sides, median)),
    LEAST_SHARE_OF_SD * rootMeanSquare(deviations(sides, mean)),
  );
  return sd > 0 ? height / sd : Number.POSITIVE_INFINITY;
}

type Sides = readonly [readonly number[], readonly number[]];
type Level = (values: readonly number[]) => number;

function distance([before, after]: Sides, level: Level): number {
  return Math.abs(level(after) - level(before));
}

function deviations(sides: Sides, level: Level): number[] {
  return sides.flatMap((side) => {
    const middle = level(side);
    return side.map((value) => Math.abs(value - middle));
  });
}

function likeliestSplit(series: readonly number[]): number {
  const total = series.reduce((sum, value) => sum + value, 0);
  let best = { split: SHORTEST_SIDE, gain: Number.NEGATIVE_INFINITY };
  let sum = 0;
  for (const [index, value] of series.entries()) {
    const rest = series.length - index;
    if (index >= SHORTEST_SIDE && rest >= SHORTEST_SIDE) {
      const gain = (sum * sum) / index + ((total - sum) * (total - sum)) / rest;
      if (gain > best.gain) best = { split: index, gain };
    }
    sum += value;
  }
  return best.split;
}

function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function rootMeanSquare(values: readonly number[]): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
}
