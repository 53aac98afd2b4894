import { expect, it } from '@jest/globals';
import { shareOfPool } from './export-runner.js';

it.each([
  [2, 3, ['any'], 0],
  [3, 3, ['any'], 0],
  [4, 3, ['any', 'urgent'], 0],
  [6, 3, ['any', 'any', 'urgent'], 0],
  [10, 3, ['any', 'any', 'urgent'], 2],
  [10, 1, ['any'], 4],
  [10, 16, ['any', 'any', 'any', 'any', 'urgent'], 0],
])('of %d connections and %d at once', (poolSize, concurrency, slots, spareConnections) => {
  expect(shareOfPool(poolSize, concurrency)).toEqual({ slots, spareConnections });
});
