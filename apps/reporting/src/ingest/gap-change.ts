import { USER_KINDS } from './dimension-ids.js';
import type { Presence } from './rollup-change.js';

/** The previous day of a person's first one. */
export const NEVER = -1;

/** What is added to one row of `user_gap`. */
export interface GapUsers {
  kind: number;
  day: number;
  dimension: number;
  /** NEVER: there is none before it. */
  previous: number;
  users: number;
}

type DayCounts = Map<number, number>;

/**
 * Users by a day and the day before it on which they were there with one dimension value. Takes the days of persons as
 * they are now and what changed, and gives the difference to before: what was before is never read.
 */
export class GapChange {
  private readonly rows = new Map<number, Map<number, number>>();

  /** A person who had no part at all before. */
  newPerson(changes: readonly Presence[]): void {
    const [only, another] = changes;
    if (only === undefined) return;
    if (another !== undefined) {
      this.person(changes, changes);
      return;
    }
    for (let kind = 0; kind < USER_KINDS; kind++) this.add(kind, only.dimensions[kind] ?? 0, only.day, NEVER, 1);
  }

  /**
   * @param now the parts that the person has with these changes
   * @param changes what of it is more or less than before
   */
  person(now: readonly Presence[], changes: readonly Presence[]): void {
    for (let kind = 0; kind < USER_KINDS; kind++) {
      const changed = daysByDimension(kind, changes);
      const days = daysByDimension(kind, now, changed);
      for (const [dimension, differences] of changed) {
        this.days(kind, dimension, days.get(dimension) ?? new Map<number, number>(), differences);
      }
    }
  }

  /** @param now parts by day that a person has with one dimension value */
  days(kind: number, dimension: number, now: DayCounts, differences: DayCounts): void {
    const before = new Map(now);
    for (const [day, parts] of differences) before.set(day, (before.get(day) ?? 0) - parts);
    this.pairs(kind, dimension, before, -1);
    this.pairs(kind, dimension, now, 1);
  }

  *users(): Generator<GapUsers> {
    for (const [key, byPrevious] of this.rows) {
      const kind = key % 8;
      const rest = (key - kind) / 8;
      const day = rest % 65_536;
      const dimension = (rest - day) / 65_536;
      for (const [previous, users] of byPrevious) if (users !== 0) yield { kind, day, dimension, previous, users };
    }
  }

  private pairs(kind: number, dimension: number, counts: DayCounts, sign: 1 | -1): void {
    const days: number[] = [];
    for (const [day, parts] of counts) if (parts > 0) days.push(day);
    days.sort((a, b) => a - b);
    let previous = NEVER;
    for (const day of days) {
      this.add(kind, dimension, day, previous, sign);
      previous = day;
    }
  }

  private add(kind: number, dimension: number, day: number, previous: number, users: number): void {
    // Below 2^53: a dimension has 31 bits, a day 16.
    const key = (dimension * 65_536 + day) * 8 + kind;
    let byPrevious = this.rows.get(key);
    if (byPrevious === undefined) this.rows.set(key, (byPrevious = new Map<number, number>()));
    byPrevious.set(previous, (byPrevious.get(previous) ?? 0) + users);
  }
}

/** Parts by dimension value and day; with `only`, of its dimension values. */
export function daysByDimension(
  kind: number,
  presences: readonly Presence[],
  only?: ReadonlyMap<number, unknown>,
): Map<number, DayCounts> {
  const result = new Map<number, DayCounts>();
  for (const { day, dimensions, parts } of presences) {
    const dimension = dimensions[kind] ?? 0;
    if (only !== undefined && !only.has(dimension)) continue;
    let days = result.get(dimension);
    if (days === undefined) result.set(dimension, (days = new Map<number, number>()));
    days.set(day, (days.get(day) ?? 0) + parts);
  }
  return result;
}
