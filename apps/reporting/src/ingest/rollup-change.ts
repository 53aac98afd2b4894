import { ROLLUP_KINDS, type DimensionIds } from './dimension-ids.js';
import type { PartRow } from './merge-sessions.js';

/** What is added to one row of `rollup_day`. */
export interface RollupCounts {
  kind: number;
  day: number;
  dimension: number;
  sessions: number;
  pageviews: number;
  conversions: number;
  events: number;
}

/** Parts of one person on one day with the same dimension values, or how many more there are than before. */
export interface Presence {
  day: number;
  dimensions: DimensionIds;
  parts: number;
}

/** What changed parts do to the rollups of days, and to the days on which persons were there. */
export class RollupChange {
  private readonly rows = new Map<number, RollupCounts>();
  private readonly persons = new Map<number, Map<string, Presence>>();

  added(row: PartRow, person: number): void {
    this.count(row, 1);
    this.present(person, row.day, row.dimensions, 1);
  }

  removed(row: PartRow, person: number): void {
    this.count(row, -1);
    this.present(person, row.day, row.dimensions, -1);
  }

  /** A part whose key stays. */
  updated(before: PartRow, after: PartRow, person: number): void {
    this.removed(before, person);
    this.added(after, person);
  }

  /** Parts that have another person now; their counts stay where they are. */
  moved(from: number, to: number, { day, dimensions, parts }: Presence): void {
    this.present(from, day, dimensions, -parts);
    this.present(to, day, dimensions, parts);
  }

  /** Rows of `rollup_day` that change. */
  *counts(): Generator<RollupCounts> {
    for (const row of this.rows.values()) {
      if (row.sessions !== 0 || row.pageviews !== 0 || row.conversions !== 0 || row.events !== 0) yield row;
    }
  }

  /** Persons who have more or fewer parts than before somewhere, with the differences. */
  *presences(): Generator<[person: number, changes: Presence[]]> {
    for (const [person, byKey] of this.persons) {
      const changes = [...byKey.values()].filter(({ parts }) => parts !== 0);
      if (changes.length > 0) yield [person, changes];
    }
  }

  /** Everybody of whom a part was written, removed or moved. */
  touched(): Iterable<number> {
    return this.persons.keys();
  }

  private count({ day, dimensions, firstId, pageviews, conversions, events }: PartRow, sign: 1 | -1): void {
    for (let kind = 0; kind < ROLLUP_KINDS; kind++) {
      const dimension = dimensions[kind] ?? 0;
      // Below 2^53: a dimension has 31 bits, a day 16.
      const key = (dimension * 65_536 + day) * 8 + kind;
      let row = this.rows.get(key);
      if (row === undefined) {
        row = { kind, day, dimension, sessions: 0, pageviews: 0, conversions: 0, events: 0 };
        this.rows.set(key, row);
      }
      if (firstId !== null) row.sessions += sign;
      row.pageviews += sign * pageviews;
      row.conversions += sign * conversions;
      row.events += sign * events;
    }
  }

  private present(person: number, day: number, dimensions: DimensionIds, parts: number): void {
    let byKey = this.persons.get(person);
    if (byKey === undefined) this.persons.set(person, (byKey = new Map<string, Presence>()));
    const [, channel, source, geo, tech, campaign] = dimensions;
    const key = `${day},${channel},${source},${geo},${tech},${campaign}`;
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, { day, dimensions, parts });
    else known.parts += parts;
  }
}
