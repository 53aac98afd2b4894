import { describe, expect, it } from '@jest/globals';
import type { DimensionIds } from './dimension-ids.js';
import { GapChange, NEVER } from './gap-change.js';
import type { Presence } from './rollup-change.js';

const CHANNEL = 1;

function presence(day: number, channel: number, parts = 1): Presence {
  const dimensions: DimensionIds = [0, channel, 1, 1, 1, 1, 1];
  return { day, dimensions, parts };
}

function usersOf(gaps: GapChange, kind: number): number[][] {
  return [...gaps.users()]
    .filter((row) => row.kind === kind)
    .map(({ day, dimension, previous, users }) => [dimension, day, previous, users])
    .sort((a, b) => a.join() < b.join() ? -1 : 1); // prettier-ignore
}

describe('GapChange', () => {
  it('counts a new person on its first day, in every kind', () => {
    const gaps = new GapChange();
    gaps.newPerson([presence(10, 3)]);
    expect([...gaps.users()].map(({ kind, previous, users }) => [kind, previous, users])).toEqual(
      [0, 1, 2, 3, 4, 5].map((kind) => [kind, NEVER, 1]),
    );
  });

  it('counts a new person of several days with the days between', () => {
    const gaps = new GapChange();
    gaps.newPerson([presence(10, 3), presence(12, 3), presence(12, 4)]);
    expect(usersOf(gaps, 0)).toEqual([[0, 10, NEVER, 1], [0, 12, 10, 1]]); // prettier-ignore
    expect(usersOf(gaps, CHANNEL)).toEqual([[3, 10, NEVER, 1], [3, 12, 10, 1], [4, 12, NEVER, 1]]); // prettier-ignore
  });

  it('puts a late day between two others', () => {
    const gaps = new GapChange();
    gaps.person([presence(10, 3), presence(11, 3), presence(14, 3)], [presence(11, 3)]);
    expect(usersOf(gaps, CHANNEL)).toEqual([[3, 11, 10, 1], [3, 14, 10, -1], [3, 14, 11, 1]]); // prettier-ignore
  });

  it('changes nothing while a day keeps a part', () => {
    const gaps = new GapChange();
    gaps.person([presence(10, 3, 1)], [presence(10, 3, -2)]);
    expect([...gaps.users()]).toEqual([]);
  });

  it('takes a day away with its last part', () => {
    const gaps = new GapChange();
    gaps.person([presence(14, 3)], [presence(10, 3, -1)]);
    expect(usersOf(gaps, 0)).toEqual([[0, 10, NEVER, -1], [0, 14, 10, -1], [0, 14, NEVER, 1]].sort((a, b) => a.join() < b.join() ? -1 : 1)); // prettier-ignore
  });
});
