import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { assess } from '#apps/integrity/src/detection/assess.js';
import { constantsHash, DETECTOR_VERSION } from '#apps/integrity/src/detection/limits.js';
import { GOALS, isReached } from './goals.js';
import { measureSuite, type Results } from './measure.js';
import type { Suite } from './suites.js';

const SEEDS = 2;

const results = JSON.parse(readFileSync(new URL('./results.json', import.meta.url), 'utf8')) as Results;

describe('the quality of detection', () => {
  it('was measured with the constants that it has, over at least 20 seeds', () => {
    expect(results.constants_hash).toBe(constantsHash());
    expect(results.detector_version).toBe(DETECTOR_VERSION);
    expect(results.seeds).toBeGreaterThanOrEqual(20);
  });

  it.each(GOALS)('reached the goal for $suite: $name', (goal) => {
    const figure = results.figures[goal.suite]?.[goal.figure];
    expect(figure).toBeDefined();
    expect({ ...figure, reached: isReached(goal, figure!) }).toMatchObject({ reached: true });
  });

  // A few seeds tell whether something broke; the figures themselves are those of the long run.
  it.each<Suite>(['easy', 'held_out_hard', 'people'])(
    'is about that of the long run for a few seeds of %s',
    (suite) => {
      const { figures } = measureSuite(suite, SEEDS, assess, results.first_seed);
      for (const goal of GOALS.filter((one) => one.suite === suite)) {
        const [now, then] = [figures.get(goal.figure), results.figures[suite]?.[goal.figure]];
        expect(now?.value).not.toBeNull();
        expect(Math.abs((now?.value ?? NaN) - (then?.value ?? NaN))).toBeLessThan(0.05);
      }
    },
    60_000,
  );
});
