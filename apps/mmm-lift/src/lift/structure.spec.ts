import { describe, expect, it } from '@jest/globals';
import { Random } from '../random/random.js';
import { knownDays, type Panel, scaleOf, standardise } from './panel.js';
import { comparisonFor, structureOf } from './structure.js';

const random = Random.stream(3, 'structure', 0);
const series = (level: number): Float64Array =>
  Float64Array.from({ length: 50 }, () => level * (1 + 0.1 * random.normal()));

function panel(controls: number): Panel {
  return {
    y: series(100),
    controls: Array.from({ length: controls }, (_, index) => series(10 * (index + 1))),
    preLength: 40,
    period: 7,
  };
}

function moments(values: Float64Array, days: Int32Array): [number, number] {
  const { mean, sd } = scaleOf(values, days);
  return [mean, sd];
}

describe('the structure of a lift test', () => {
  it('weaves donors from 8 controls on and regresses on fewer', () => {
    expect([0, 1, 7, 8, 100].map(comparisonFor)).toEqual(['history', 'regression', 'regression', 'donors', 'donors']);
  });

  it('standardises by the known days before the window, sd with divisor n − 1', () => {
    const y = Float64Array.of(1, Number.NaN, 3, 5, 1000);
    const days = knownDays({ y, controls: [], preLength: 4, period: 1 });
    expect([...days]).toEqual([0, 2, 3]);
    expect(scaleOf(y, days)).toEqual({ mean: 3, sd: 2 });
    expect(standardise(y, { mean: 3, sd: 2 })[4]).toBe(498.5);
  });

  it('subtracts the synthetic series of donors as an offset that is also the comparison', () => {
    const structure = structureOf(panel(8), 'donors', 200);
    expect(structure.weights).toHaveLength(8);
    expect(structure.components.c).toBe(structure.offset);
    expect(moments(structure.offset, structure.known)[0]).toBeCloseTo(0, 10);
  });

  it('compares with the mean of few controls at spread 1, without an offset', () => {
    const structure = structureOf(panel(3), 'regression', 200);
    expect(structure.weights).toBeNull();
    expect(structure.offset.every((value) => value === 0)).toBe(true);
    const [mean, sd] = moments(structure.components.c ?? new Float64Array(0), structure.known);
    expect(mean).toBeCloseTo(0, 10);
    expect(sd).toBeCloseTo(1, 10);
  });

  it('leaves out the common series where the controls cancel out', () => {
    const one = panel(1);
    const mirrored = (one.controls[0] ?? new Float64Array(0)).map((value) => -value);
    expect(structureOf({ ...one, controls: [...one.controls, mirrored] }, 'regression', 1).components.c).toBeNull();
  });

  it('has nothing to compare with when there are no controls', () => {
    const { components } = structureOf(panel(0), 'history', 1);
    expect(components.c).toBeNull();
    expect(components.products).toBeNull();
  });
});
