const WINDOW_DAYS = 7;
/** Days before and behind a day that lie in a window with it. */
const REACH = WINDOW_DAYS - 1;
/** Days that are assessed at once; their neighbours are loaded too. */
const MOST_DAYS = 28;
/** Sessions that are held in memory at once, unless a single day needs more. */
const MOST_SESSIONS = 500_000;

/** Both inclusive, days since 1970. */
export interface DayRange {
  first: number;
  last: number;
}

/**
 * The days whose detections may change when sessions of some days did: a session lies in the windows that end on its day
 * or up to six days later, and each of these windows may raise the six days before its end. In pieces that fit into
 * memory.
 *
 * @param through no window ends later
 * @param sessionsOn sessions of a day
 */
export function daysToAssess(
  changed: Iterable<number>,
  through: number,
  sessionsOn: (day: number) => number = () => 0,
): DayRange[] {
  const days = [...new Set(changed)].sort((a, b) => a - b);
  const ranges: DayRange[] = [];
  for (const day of days) {
    const [first, last] = [day - REACH, Math.min(day + REACH, through)];
    const before = ranges.at(-1);
    // Neighbours share the sessions that they load.
    if (before !== undefined && first <= before.last + WINDOW_DAYS) before.last = Math.max(before.last, last);
    else ranges.push({ first, last });
  }
  return ranges.flatMap((range) => pieces(range, through, sessionsOn));
}

/** The days of which sessions are needed to assess a range. */
export function daysToLoad({ first, last }: DayRange, through: number): DayRange {
  return { first: first - REACH, last: Math.min(last + REACH, through) };
}

function pieces(range: DayRange, through: number, sessionsOn: (day: number) => number): DayRange[] {
  const parts: DayRange[] = [];
  let first = range.first;
  while (first <= range.last) {
    let last = first;
    let loaded = sessionsIn(daysToLoad({ first, last }, through), sessionsOn);
    while (last < range.last && last - first + 1 < MOST_DAYS) {
      loaded += last + 1 + REACH <= through ? sessionsOn(last + 1 + REACH) : 0;
      if (loaded > MOST_SESSIONS) break;
      last++;
    }
    parts.push({ first, last });
    first = last + 1;
  }
  return parts;
}

function sessionsIn({ first, last }: DayRange, sessionsOn: (day: number) => number): number {
  let sessions = 0;
  for (let day = first; day <= last; day++) sessions += sessionsOn(day);
  return sessions;
}
