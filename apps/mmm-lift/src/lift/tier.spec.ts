import { expect, it } from '@jest/globals';
import { trustTier } from './tier.js';

it.each([
  [{ controls: 8, kappa: 2, fitErrorPercent: 10, missing: 0.2 }, 'high'],
  [{ controls: 7, kappa: 1, fitErrorPercent: 1, missing: 0 }, 'medium'],
  [{ controls: 8, kappa: 2.01, fitErrorPercent: 1, missing: 0 }, 'medium'],
  [{ controls: 8, kappa: 1, fitErrorPercent: 10.1, missing: 0 }, 'medium'],
  [{ controls: 1, kappa: 3, fitErrorPercent: 90, missing: 0 }, 'medium'],
  [{ controls: 40, kappa: 3.01, fitErrorPercent: 1, missing: 0 }, 'low'],
  [{ controls: 0, kappa: 1, fitErrorPercent: 1, missing: 0 }, 'low'],
  [{ controls: 40, kappa: 1, fitErrorPercent: 1, missing: 0.201 }, 'insufficient'],
])('%j earns %s', (grounds, tier) => {
  expect(trustTier({ ...grounds, judged: 7 })).toBe(tier);
});

it('a window without any outcome earns nothing', () => {
  expect(trustTier({ controls: 9, kappa: 1, fitErrorPercent: 1, missing: 0, judged: 0 })).toBe('insufficient');
});
