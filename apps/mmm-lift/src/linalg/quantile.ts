/**
 * The p-quantile of values in ascending order, interpolated linearly at position (length − 1)·p (definition 7 of Hyndman and
 * Fan, 1996).
 *
 * @throws RangeError without a value
 */
export function quantile(sorted: ArrayLike<number>, p: number): number {
  const position = (sorted.length - 1) * p;
  const below = Math.floor(position);
  const low = sorted[below];
  if (low === undefined) throw new RangeError('There is no quantile of nothing.');
  const high = sorted[below + 1] ?? low;
  return low + (position - below) * (high - low);
}
