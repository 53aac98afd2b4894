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
    const placebos = placeboPlaces(full, 1);
    expect(placebos).toHaveLength(36);
    expect(placebos[1]?.y).toEqual(full.controls[1]);
    expect(placebos[1]?.controls).toEqual(full.controls.filter((_, index) => index !== 1));
    expect(placebos[35]?.controls).toHaveLength(39);
  });

  it('join as many places as the test treats, as long as enough controls are left', () => {
    const full = panel(12, 40, 7);
    const [first, ...others] = placeboPlaces(full, 3);
    const joined = [0, 4, 8].map((index) => full.controls[index]);
    expect(others).toHaveLength(11);
    expect(first?.y[20]).toBeCloseTo(
      joined.reduce((sum, control) => sum + (control?.[20] ?? 0), 0),
      9,
    );
    expect(first?.controls).toEqual(full.controls.filter((_, index) => ![0, 4, 8].includes(index)));
    const left = (controls: number, treated: number): number | undefined =>
      placeboPlaces(panel(controls, 40, 7), treated)[0]?.controls.length;
    expect([left(40, 1), left(40, 10), left(40, 25), left(8, 2), left(9, 2), left(9, 5), left(40, 0)]).toEqual([
      39, 30, 30, 7, 7, 7, 39,
    ]);
  });

  it('miss the days that miss in the test', () => {
    const full = panel(8, 40, 7);
    full.y[3] = Number.NaN;
    expect(placeboPlaces(full, 1).map(({ y }) => [...y.keys()].filter((day) => Number.isNaN(y[day])))).toEqual(
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
    expect(calibrate(panel(8, 42, 14), 'donors', 1).z).toHaveLength(8 + 1);
    expect(calibrate(panel(7, 42, 14), 'regression', 1).z).toHaveLength(1);
    expect(calibrate(panel(0, 42, 14), 'history', 1).z).toHaveLength(1);
    expect(calibrate(panel(0, 30, 14), 'history', 1)).toEqual({ kappa: 1, z: [] });
  });

  it('leave out a control that had nothing to learn from yet, and a treated series that stood still', () => {
    const late = panel(1, 60, 14);
    late.controls[0]?.fill(5, 0, 46);
    expect(earlierWindows(late).map(({ controls }) => controls.length)).toEqual([0, 0]);
    expect(calibrate(late, 'regression', 1).z).toHaveLength(2);
    late.y.fill(5, 0, 46);
    expect(calibrate(late, 'regression', 1).z).toHaveLength(0);
  });

  it('see that a series wanders more than its noise tells', () => {
    const steady = panel(10, 60, 14);
    const jumpy = { ...steady, controls: steady.controls.map((control, index) => shifted(control, index)) };
    expect(calibrate(steady, 'donors', 1).kappa).toBeLessThan(1.5);
    expect(calibrate(jumpy, 'donors', 1).kappa).toBeGreaterThan(2);
  });
});

function shifted(control: Float64Array, index: number): Float64Array {
  return control.map((value, day) => (day < 60 ? value : value + (index % 2 === 0 ? 20 : -20)));
}
