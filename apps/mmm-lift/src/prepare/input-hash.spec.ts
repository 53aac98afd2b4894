import { expect, it } from '@jest/globals';
import type { MixInput } from '../mmm/mix-input.js';
import { inputHash } from './input-hash.js';

const INPUT: MixInput = {
  target: 'conversions',
  isCount: true,
  weeks: ['2026-03-01', '2026-03-08'],
  y: [1, null],
  channels: [{ slug: 'tv', name: 'TV', family: 'tv', spend: [1, 2], before: [] }],
  controls: [],
  tests: [{ testId: 'a', channel: 'tv', from: 0, to: 1, tested: [1, 0], value: 2, se: 1 }],
  conversionValue: null,
  averageOrderValue: null,
  currency: 'EUR',
  warnings: [],
  seed: 1,
};

it('is the same for the same input, whatever the order of members', () => {
  const shuffled = Object.fromEntries(Object.entries(INPUT).reverse()) as unknown as MixInput;
  expect(inputHash(shuffled)).toBe(inputHash(INPUT));
  expect(inputHash(JSON.parse(JSON.stringify(INPUT)) as MixInput)).toBe(inputHash(INPUT));
  expect(inputHash(INPUT)).toMatch(/^[0-9a-f]{64}$/);
});

it.each<[string, Partial<MixInput>]>([
  ['the seed', { seed: 2 }],
  ['a test', { tests: [] }],
  ['spend', { channels: [{ slug: 'tv', name: 'TV', family: 'tv', spend: [1, 2.000001], before: [] }] }],
  ['a missing week', { y: [1, 0] }],
  ['the value of a conversion', { conversionValue: 5 }],
])('changes with %s', (_, change) => {
  expect(inputHash({ ...INPUT, ...change })).not.toBe(inputHash(INPUT));
});
