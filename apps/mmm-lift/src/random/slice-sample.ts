import type { Random } from './random.js';

// Constants: in the sandbox of the tests each look-up of a global costs more than the function itself.
const { log } = Math;

/** How far a slice may be searched. */
export interface SliceLimits {
  /** Widths stepped out on each side at most. */
  steps?: number;
  /** The left end never goes below it. */
  lowest?: number;
}

/** Halvings of an interval after which it is a point. */
const SHRINKS = 200;

/**
 * One update of x by slice sampling with stepping out and shrinkage (R. M. Neal, "Slice sampling", 2003), which leaves the
 * density invariant.
 *
 * @param logDensity up to a constant
 */
export function sliceSample(
  random: Random,
  x: number,
  logDensity: (x: number) => number,
  width: number,
  { steps = Number.POSITIVE_INFINITY, lowest = Number.NEGATIVE_INFINITY }: SliceLimits = {},
): number {
  const level = logDensity(x) + log(random.uniform());
  let left = x - width * random.uniform();
  let right = left + width;
  for (let step = 0; step < steps && left > lowest && logDensity(left) > level; step += 1) left -= width;
  for (let step = 0; step < steps && logDensity(right) > level; step += 1) right += width;
  left = Math.max(left, lowest);
  for (let shrink = 0; shrink < SHRINKS; shrink += 1) {
    const proposed = left + (right - left) * random.uniform();
    if (logDensity(proposed) > level) return proposed;
    if (proposed < x) left = proposed;
    else right = proposed;
  }
  return x;
}
