import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_CHANNELS, poolChannels, type SpendChannel } from './pool-channels.js';

const NONE: ReadonlySet<string> = new Set();

function channel(slug: string, spend: number, family: SpendChannel['family'] = 'search'): SpendChannel {
  return { slug, name: slug.toUpperCase(), family, spend: [BigInt(spend), 1n], before: [2n] };
}

/** c00 is the largest. */
function many(count: number, family: (index: number) => SpendChannel['family'] = () => 'search'): SpendChannel[] {
  return Array.from({ length: count }, (_, index) =>
    channel(`c${String(index).padStart(2, '0')}`, 1_000 - index, family(index)),
  );
}

describe('poolChannels', () => {
  it('leaves 30 alone', () => {
    const channels = many(30);
    expect(poolChannels([...channels].reverse(), NONE)).toEqual(channels);
  });

  it('pools the smallest of a family', () => {
    const pooled = poolChannels(many(33), NONE);
    expect(pooled).toHaveLength(30);
    expect(pooled.at(-1)).toEqual({
      slug: 'search (pooled)',
      name: 'search (pooled)',
      family: 'search',
      spend: [BigInt(971 + 970 + 969 + 968), 4n],
      before: [8n],
    });
  });

  it('keeps as many as families leave room for, and a single small one as it is', () => {
    const families = ['search', 'social', 'tv'] as const;
    const pooled = poolChannels(
      many(32, (index) => (index === 31 ? 'radio' : (families[index % 3] ?? 'tv'))),
      NONE,
    );
    expect(pooled).toHaveLength(30);
    expect(pooled.filter(({ name }) => name.endsWith('(pooled)')).map(({ name }) => name)).toEqual([
      'search (pooled)',
      'tv (pooled)',
    ]);
    expect(pooled.map(({ slug }) => slug)).toEqual(expect.arrayContaining(['c28', 'c31']));
  });

  it('keeps tested channels, and names that are taken', () => {
    const pooled = poolChannels([...many(33), { ...channel('x', 9_999), name: 'search (pooled)' }], new Set(['c32']));
    expect(pooled.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['C32', 'search (pooled)', 'search (pooled) (pooled)']),
    );
  });

  it('never loses spend, never leaves more than 30', () => {
    const any = fc.array(
      fc.record({
        spend: fc.integer({ min: 0, max: 5 }),
        family: fc.constantFrom('search', 'tv', 'radio', 'other', 'email'),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(any, (rows) => {
        const channels = rows.map(({ spend, family }, index) => channel(`c${index}`, spend, family as 'tv'));
        const pooled = poolChannels(channels, NONE);
        const total = (some: SpendChannel[]): bigint =>
          some.flatMap(({ spend }) => spend).reduce((sum, one) => sum + one, 0n);
        expect(total(pooled)).toBe(total(channels));
        expect(pooled.length).toBe(Math.min(channels.length, MAX_CHANNELS));
      }),
    );
  });
});
