import { describe, expect, it } from '@jest/globals';
import { Random } from '../random/random.js';
import { calibrate, calibrationFactor, earlierWindows, placeboPlaces } from './calibration.js';
import type { Panel } from './panel.js';

const random = Random.stream(8, 'calibration', 0);

function panel(controls: number, preLength: number, window: number): Panel {
  const season = Array.from({ length: preLength + window }, (_, day) => 100 + 10 * (day % 7) + random.normal());
  const series = (): Float64Array => Float64Array.from(season, (value) => value + 3 * random.normal());
  return { y: series(), controls: Array.from({ length: controls }, series), preLength, period: 7 };
}

describe('the calibration factor', () => {
  it.each([
    [[], 1],
    [[0, 0, 0], 1],
    [[2, 2, 2, 2], Math.sqrt(20 / 8)],
    [[100, -100], Math.sqrt(54 / 6)],
  ])('of the placebo errors %j is %d', (z, kappa) => {
    expect(calibrationFactor(z)).toBeCloseTo(kappa, 12);
  });
});

describe('placebos', () => {
  it('are each of the first 36 controls with the others as its controls', () => {
    const full = panel(40, 40, 7);
    const placebos = placeboPlaces(full);
    expect(placebos).toHaveLength(36);
    expect(placebos[1]?.y).toEqual(full.controls[1]);
    expect(placebos[1]?.controls).toEqual(full.controls.filter((_, index) => index !== 1));
    expect(placebos[35]?.controls).toHaveLength(39);
  });

  it('miss the days that miss in the test', () => {
    const full = panel(8, 40, 7);
    full.y[3] = Number.NaN;
    expect(placeboPlaces(full).map(({ y }) => [...y.keys()].filter((day) => Number.isNaN(y[day])))).toEqual(
      Array(8).fill([3]),
    );
  });

  it.each([
    [90, 15, 4],
    [90, 20, 2],
    [42, 14, 1],
    [41, 14, 0],
    [28, 7, 1],
    [27, 7, 0],
    [400, 7, 4],
  ])('of %d days before a window of %d leave %d earlier windows', (preLength, window, count) => {
    const windows = earlierWindows(panel(1, preLength, window));
    expect(windows).toHaveLength(count);
    for (const [index, { y, preLength: before, controls }] of windows.entries()) {
      expect(before).toBe(preLength - (index + 1) * window);
      expect(y).toHaveLength(before + window);
      expect(controls[0]).toHaveLength(before + window);
    }
  });

  it('are run on places only with 8 controls', () => {
    expect(calibrate(panel(8, 42, 14), 'donors').z).toHaveLength(8 + 1);
    expect(calibrate(panel(7, 42, 14), 'regression').z).toHaveLength(1);
    expect(calibrate(panel(0, 42, 14), 'history').z).toHaveLength(1);
    expect(calibrate(panel(0, 30, 14), 'history')).toEqual({ kappa: 1, z: [] });
  });

  it('leave out a control that had nothing to learn from yet, and a treated series that stood still', () => {
    const late = panel(1, 60, 14);
    late.controls[0]?.fill(5, 0, 46);
    expect(earlierWindows(late).map(({ controls }) => controls.length)).toEqual([0, 0]);
    expect(calibrate(late, 'regression').z).toHaveLength(2);
    late.y.fill(5, 0, 46);
    expect(calibrate(late, 'regression').z).toHaveLength(0);
  });

  it('see that a series wanders more than its noise tells', () => {
    const steady = panel(10, 60, 14);
    const jumpy = { ...steady, controls: steady.controls.map((control, index) => shifted(control, index)) };
    expect(calibrate(steady, 'donors').kappa).toBeLessThan(1.5);
    expect(calibrate(jumpy, 'donors').kappa).toBeGreaterThan(2);
  });
});

function shifted(control: Float64Array, index: number): Float64Array {
  return control.map((value, day) => (day < 60 ? value : value + (index % 2 === 0 ? 20 : -20)));
}
