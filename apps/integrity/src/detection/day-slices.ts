import type { TrafficSession } from './traffic.js';

/** Sessions of one entity, of which windows are asked in ascending order, so that nothing is searched twice. */
export class DaySlices {
  private low = 0;
  private high = 0;
  private asked = { from: NaN, to: NaN };
  private slice: readonly TrafficSession[] = [];

  /** @param sessions by day */
  constructor(readonly sessions: readonly TrafficSession[]) {}

  /** Those on local days `from` to `to`, both inclusive, neither of them earlier than in the call before. */
  between(from: number, to: number): readonly TrafficSession[] {
    if (from === this.asked.from && to === this.asked.to) return this.slice;
    const { sessions } = this;
    for (let next = sessions[this.high]; next !== undefined && next.day <= to; next = sessions[++this.high]);
    for (let first = sessions[this.low]; first !== undefined && first.day < from; first = sessions[++this.low]);
    this.asked = { from, to };
    const isWhole = this.low === 0 && this.high === sessions.length;
    this.slice = isWhole ? sessions : sessions.slice(this.low, this.high);
    return this.slice;
  }
}

/** Day, then start, then key: the order in which everything here is counted. */
export function inOrder(sessions: readonly TrafficSession[]): TrafficSession[] {
  return [...sessions].sort(
    (a, b) => a.day - b.day || a.startedAt - b.startedAt || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0),
  );
}

/** By key, each group in the order of the sessions. */
export function groupBy(
  sessions: Iterable<TrafficSession>,
  keyOf: (session: TrafficSession) => string,
): Map<string, TrafficSession[]> {
  const groups = new Map<string, TrafficSession[]>();
  for (const session of sessions) {
    const key = keyOf(session);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [session]);
    else group.push(session);
  }
  return groups;
}
