/** By this much the changes must fit the next week better. */
const MARGIN = 0.1;
/** Below this many standard errors a correlation may be chance. */
const CERTAIN = 2.6;

/**
 * Whether a weekly series looks as if its dates were the first days of its weeks, of which each names the week before: its
 * changes go along with the changes of the target one week later. The correlation must be more than chance, too: with
 * noise alone one of two is larger by .1 in every fourth channel.
 *
 * @param y null in weeks without any event; changes from or to them are left out
 */
export function maybeWeekStart(spend: readonly number[], y: readonly (number | null)[]): boolean {
  const same: [number, number][] = [];
  const later: [number, number][] = [];
  for (let week = 1; week < spend.length; week++) {
    const change = (spend[week] ?? 0) - (spend[week - 1] ?? 0);
    const now = changeInto(y, week);
    const next = changeInto(y, week + 1);
    if (now === null || next === null) continue;
    same.push([change, now]);
    later.push([change, next]);
  }
  const shifted = correlation(later);
  return shifted > correlation(same) + MARGIN && shifted * Math.sqrt(later.length) > CERTAIN;
}

function changeInto(y: readonly (number | null)[], week: number): number | null {
  const from = y[week - 1] ?? null;
  const to = y[week] ?? null;
  return from === null || to === null ? null : to - from;
}

/** Pearson's; 0 when one of the two never varies. */
export function correlation(pairs: readonly (readonly [number, number])[]): number {
  const mean = (of: 0 | 1): number => pairs.reduce((sum, pair) => sum + pair[of], 0) / pairs.length;
  const [a, b] = [mean(0), mean(1)];
  let [aa, bb, ab] = [0, 0, 0];
  for (const [x, z] of pairs) {
    aa += (x - a) * (x - a);
    bb += (z - b) * (z - b);
    ab += (x - a) * (z - b);
  }
  return aa > 0 && bb > 0 ? ab / Math.sqrt(aa * bb) : 0;
}
