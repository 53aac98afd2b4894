import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SeenKeys } from './seen-keys.js';

it('never misses a key that comes again', () => {
  const key = fc.tuple(
    fc.constantFrom('2024-01-07', '2024-01-14'),
    fc.string({ maxLength: 2 }),
    fc.string({ maxLength: 2 }),
    fc.string({ maxLength: 2 }),
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), (keys) => {
      const seen = new SeenKeys();
      for (const parts of keys) seen.add(...parts);
      const repeats = new Set(keys.map((parts) => JSON.stringify(parts))).size < keys.length;
      if (repeats) expect(seen.mayRepeat).toBe(true);
    }),
  );
});

it('does not take 300,000 different keys for repeated ones, and then finds the one that is', () => {
  const seen = new SeenKeys();
  for (let row = 0; row < 300_000; row++) seen.add('2024-01-07', 'Google', '', String(row));
  expect(seen.mayRepeat).toBe(false);
  seen.add('2024-01-07', 'Google', '', '150000');
  expect(seen.mayRepeat).toBe(true);
});

it('tells apart where a text stands', () => {
  const seen = new SeenKeys();
  for (const [channel, source, campaign] of [
    ['a', '', ''],
    ['', 'a', ''],
    ['', '', 'a'],
    ['ab', '', ''],
    ['a', 'b', ''],
    ['', 'ab', ''],
  ] as const)
    seen.add('2024-01-07', channel, source, campaign);
  expect(seen.mayRepeat).toBe(false);
});
