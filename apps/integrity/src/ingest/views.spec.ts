import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  addView,
  distinctPaths,
  landingTimes,
  MAX_VIEWS,
  mergeViews,
  packViews,
  pathDigest,
  pathSignature,
  unpackViews,
  type Views,
} from './views.js';

const START_US = 1_772_323_200_000_000;

function viewsOf(pairs: readonly (readonly [at: number, path: number])[]): Views {
  const views: number[] = [];
  for (const [at, path] of pairs) addView(views, at, path);
  return views;
}

describe('views', () => {
  const pairs = fc.array(
    fc.tuple(fc.integer({ min: START_US, max: START_US + 5 }), fc.constantFrom(1, 2, 0xffff_ffff_ffff)),
    { maxLength: 30 },
  );

  it('are the same in whatever order and pieces they come', () => {
    fc.assert(
      fc.property(pairs, fc.nat(), (given, cut) => {
        const sorted = [...given].sort(([at, path], [otherAt, otherPath]) => at - otherAt || path - otherPath).flat();
        const at = cut % (given.length + 1);
        expect(viewsOf(given)).toEqual(sorted);
        expect(viewsOf([...given].reverse())).toEqual(sorted);
        expect(mergeViews(viewsOf(given.slice(at)), viewsOf(given.slice(0, at)))).toEqual(sorted);
      }),
    );
  });

  it('come back from their bytes', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        const views = viewsOf(given);
        expect(packViews(views)).toHaveLength(given.length * 14);
        expect(unpackViews(packViews(views))).toEqual(views);
      }),
    );
  });

  it('are the first 5,000 of a session, whatever the order', () => {
    const all = Array.from({ length: MAX_VIEWS + 100 }, (_, number) => [START_US + number, number % 7] as const);
    const first = all.slice(0, MAX_VIEWS).flat();
    expect(viewsOf(all)).toEqual(first);
    expect(viewsOf([...all].reverse())).toEqual(first);
    expect(mergeViews(viewsOf(all.slice(3000)), viewsOf(all.slice(0, 3000)))).toEqual(first);
  });

  it('tell landing hits, paths and the sequence of paths', () => {
    const [home, list, item] = ['/', '/list', '/item'].map(pathDigest) as [number, number, number];
    const views = viewsOf([
      [START_US, home],
      [START_US + 9, home],
      [START_US + 5, list],
      [START_US + 7, item],
    ]);
    expect(landingTimes(views)).toEqual([START_US, START_US + 9]);
    expect(distinctPaths(views)).toBe(3);
    const sequence = ['/', '/list', '/item', '/'].map((path) =>
      createHash('sha256').update(path).digest().subarray(0, 6),
    );
    expect(pathSignature(views)).toBe(createHash('sha256').update(Buffer.concat(sequence)).digest('hex').slice(0, 16));
    expect(
      pathSignature(
        viewsOf([
          [1, list],
          [2, home],
          [3, item],
          [4, home],
        ]),
      ),
    ).not.toBe(pathSignature(views));
  });

  it('tell nothing of paths where there are none, or one', () => {
    expect([landingTimes([]), distinctPaths([]), pathSignature([])]).toEqual([[], 0, '']);
    const one = viewsOf([
      [1, 5],
      [2, 5],
    ]);
    expect([landingTimes(one), distinctPaths(one), pathSignature(one)]).toEqual([[1, 2], 1, '']);
  });
});
