/** Into 0 to 1. */
export function clamp(value: number): number {
  return value < 0 ? 0 : value > 1 ? 1 : value;
}

/**
 * Lower bound of the Wilson score interval (Wilson 1927) of a share, with z = 1, that is one standard error.
 *
 * @returns 0 to 1; 0 for no trials
 */
export function wilsonLowerBound(hits: number, trials: number): number {
  if (trials <= 0) return 0;
  const share = hits / trials;
  const centre = share + 1 / (2 * trials);
  const margin = Math.sqrt((share * (1 - share)) / trials + 1 / (4 * trials * trials));
  return Math.max(0, (centre - margin) / (1 + 1 / trials));
}

/** Shannon entropy in bits of counts. */
export function entropyBits(counts: Iterable<number>): number {
  let total = 0;
  let weighted = 0;
  for (const count of counts) {
    if (count <= 0) continue;
    total += count;
    weighted += count * Math.log2(count);
  }
  return total === 0 ? 0 : Math.max(0, Math.log2(total) - weighted / total);
}

/** Mean and population standard deviation divided by it; undefined without numbers or with mean 0. */
export function variation(values: readonly number[]): { mean: number; cv: number } | undefined {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (!(mean > 0)) return undefined;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, cv: Math.sqrt(variance) / mean };
}

/** Length of the mean vector of points on a circle: 0 spread evenly, 1 all in one place (Mardia & Jupp, Directional Statistics). */
export function meanVectorLength<T>(items: readonly T[], pointOf: (item: T) => number, circle: number): number {
  let x = 0;
  let y = 0;
  for (const item of items) {
    const angle = ((pointOf(item) % circle) / circle) * 2 * Math.PI;
    x += Math.cos(angle);
    y += Math.sin(angle);
  }
  return items.length === 0 ? 0 : Math.hypot(x, y) / items.length;
}

/** The most of the ascending times that lie in a half-open span of that length, and the place of the first of them. */
export function densestSpan(times: readonly number[], length: number): { count: number; first: number } {
  let count = 0;
  let first = 0;
  let low = 0;
  for (const [high, time] of times.entries()) {
    while (time - (times[low] ?? time) >= length) low++;
    if (high - low + 1 > count) {
      count = high - low + 1;
      first = low;
    }
  }
  return { count, first };
}

/** The key with the largest count; of equal counts the first in the order of text. */
export function mostFrequent(counts: ReadonlyMap<string, number>): { key: string; count: number } | undefined {
  let most: { key: string; count: number } | undefined;
  for (const [key, count] of counts) {
    if (most === undefined || count > most.count || (count === most.count && key < most.key)) most = { key, count };
  }
  return most;
}

export function tally<T>(values: Iterable<T>, keyOf: (value: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) {
    const key = keyOf(value);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
