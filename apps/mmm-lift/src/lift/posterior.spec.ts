import { describe, expect, it } from '@jest/globals';
import { determinant, inverse, Matrix } from 'ml-matrix';
import { Random } from '../random/random.js';
import { covarianceOf, settings } from './covariance.js';
import { forecastWindow } from './forecast.js';
import { leaveOneOut } from './leave-one-out.js';
import type { Panel } from './panel.js';
import { type Piece, posteriorOf } from './posterior.js';
import { type Structure, structureOf } from './structure.js';
import { windowTotal } from './window-total.js';

const random = Random.stream(11, 'posterior', 0);
const y = Float64Array.from({ length: 40 }, (_, day) => 50 + 3 * (day % 7) + 0.2 * day + 4 * random.normal());
y[5] = Number.NaN;
const controls = [0, 1].map(() => y.map((value) => (Number.isNaN(value) ? 60 : value) + 6 * random.normal()));
const panel: Panel = { y, controls, preLength: 30, period: 7 };
const structure = structureOf(panel, 'regression', 1);
const pieces = posteriorOf(structure);

/** The covariance of the known days, noise included. */
function knownCovariance({ known }: Structure, covariance: Piece['covariance']): Matrix {
  return new Matrix([...known].map((i) => [...known].map((j) => covariance(i, j) + (i === j ? 1 : 0))));
}

function columnTowards({ known }: Structure, covariance: Piece['covariance'], day: number): Matrix {
  return Matrix.columnVector([...known].map((other) => covariance(other, day)));
}

/** Another day is left out by making it unknown; the scale stays. */
function without(day: number): Structure {
  const row = structure.known.indexOf(day);
  return {
    ...structure,
    known: structure.known.filter((other) => other !== day),
    rest: structure.rest.filter((_, index) => index !== row),
  };
}

describe('the posterior over settings', () => {
  it('weights by the marginal likelihood, drops what is negligible and sums to 1', () => {
    const n = structure.known.length;
    const logWeights = settings('regression', 7, n).map((setting) => {
      const v = knownCovariance(structure, covarianceOf(structure.components, setting));
      const values = Matrix.columnVector([...structure.rest]);
      const q = values.transpose().mmul(inverse(v)).mmul(values).get(0, 0);
      return -0.5 * Math.log(determinant(v)) - (1 + n / 2) * Math.log(0.02 + q / 2);
    });
    const best = Math.max(...logWeights);
    const raw = logWeights.map((weight) => Math.exp(weight - best));
    const sum = raw.reduce((total, weight) => total + weight, 0);
    const kept = raw.map((weight) => weight / sum).filter((weight) => weight > 0.001);
    const keptSum = kept.reduce((total, weight) => total + weight, 0);
    expect(pieces).toHaveLength(kept.length);
    for (const [index, piece] of pieces.entries()) expect(piece.weight).toBeCloseTo((kept[index] ?? 0) / keptSum, 6);
    expect(pieces.reduce((total, { weight }) => total + weight, 0)).toBeCloseTo(1, 12);
  });
});

describe('leave-one-out before the window', () => {
  it('equals a refit without the day, its settings held', () => {
    const one = [{ ...(pieces[0] as Piece), weight: 1 }];
    const { covariance, scale } = one[0] as Piece;
    const { mean, sd } = leaveOneOut(structure, one);
    for (const day of [0, 1, 13, 29]) {
      const rest = without(day);
      const inverted = inverse(knownCovariance(rest, covariance));
      const column = columnTowards(rest, covariance, day);
      const towards = column.transpose().mmul(inverted);
      const expected = towards.mmul(Matrix.columnVector([...rest.rest])).get(0, 0);
      const variance = covariance(day, day) + 1 - towards.mmul(column).get(0, 0);
      const noise = scale / (structure.known.length / 2);
      expect(mean[day]).toBeCloseTo(structure.scale.mean + structure.scale.sd * expected, 5);
      expect(sd[day]).toBeCloseTo(structure.scale.sd * Math.sqrt(noise * variance), 5);
    }
  });

  it('predicts a missing day from the known ones', () => {
    const { mean, sd } = leaveOneOut(structure, pieces);
    expect(mean[5]).toBeGreaterThan(40);
    expect(mean[5]).toBeLessThan(90);
    expect(sd[5]).toBeGreaterThan(0);
  });

  it('mixes the pieces with the spread of their means', () => {
    const alone = pieces.map((piece) => leaveOneOut(structure, [{ ...piece, weight: 1 }]));
    const { mean, sd } = leaveOneOut(structure, pieces);
    const day = 20;
    const expected = pieces.reduce((sum, { weight }, index) => sum + weight * (alone[index]?.mean[day] ?? 0), 0);
    const variance = pieces.reduce((sum, { weight }, index) => {
      const part = alone[index];
      return sum + weight * ((part?.sd[day] ?? 0) ** 2 + ((part?.mean[day] ?? 0) - expected) ** 2);
    }, 0);
    expect(mean[day]).toBeCloseTo(expected, 9);
    expect(sd[day]).toBeCloseTo(Math.sqrt(variance), 9);
  });
});

describe('the forecast of the window', () => {
  it('has the conditional mean of a Gaussian process', () => {
    const one = [{ ...(pieces[0] as Piece), weight: 1 }];
    const { covariance } = one[0] as Piece;
    const { mean } = forecastWindow(structure, one, 10, Random.stream(1, 'forecast', 0));
    const solved = inverse(knownCovariance(structure, covariance)).mmul(Matrix.columnVector([...structure.rest]));
    for (const day of [30, 34, 39]) {
      const expected = columnTowards(structure, covariance, day).transpose().mmul(solved).get(0, 0);
      expect(mean[day - 30]).toBeCloseTo(structure.scale.mean + structure.scale.sd * expected, 5);
    }
  });

  it('draws paths whose mean and joint spread are those of the process', () => {
    const one = [{ ...(pieces[0] as Piece), weight: 1 }];
    const { covariance, scale, shape } = one[0] as Piece;
    const { mean, paths } = forecastWindow(structure, one, 20_000, Random.stream(2, 'forecast', 0));
    const inverted = inverse(knownCovariance(structure, covariance));
    const conditional = (a: number, b: number): number =>
      covariance(a, b) +
      (a === b ? 1 : 0) -
      columnTowards(structure, covariance, a)
        .transpose()
        .mmul(inverted)
        .mmul(columnTowards(structure, covariance, b))
        .get(0, 0);
    const average = (value: (path: Float64Array) => number): number =>
      paths.reduce((sum, path) => sum + value(path), 0) / paths.length;
    const sigma2 = (scale / (shape - 1)) * structure.scale.sd * structure.scale.sd;
    const off = (path: Float64Array, day: number): number => (path[day] ?? 0) - (mean[day] ?? 0);
    expect(paths).toHaveLength(20_000);
    expect(average((path) => path[3] ?? 0) / (mean[3] ?? 1)).toBeCloseTo(1, 2);
    for (const [a, b] of [
      [3, 3],
      [2, 9],
      [0, 1],
    ] as const) {
      const size = Math.sqrt(conditional(30 + a, 30 + a) * conditional(30 + b, 30 + b));
      const measured = average((path) => off(path, a) * off(path, b)) / (sigma2 * size);
      expect(Math.abs(measured - conditional(30 + a, 30 + b) / size)).toBeLessThan(0.05);
    }
  });

  it('shares the paths out by weight', () => {
    const { paths } = forecastWindow(structure, pieces, 2000, Random.stream(1, 'forecast', 0));
    expect(paths).toHaveLength(pieces.reduce((sum, { weight }) => sum + Math.round(weight * 2000), 0));
  });

  it('survives a control that is far from where it was', () => {
    const far = controls.map((control) => control.map((value, day) => (day < 30 ? value : value * 1e9)));
    const wild = structureOf({ ...panel, controls: far }, 'regression', 1);
    const { mean, paths } = forecastWindow(wild, posteriorOf(wild), 50, Random.stream(1, 'forecast', 0));
    expect([...mean, ...paths.flatMap((path) => [...path])].every(Number.isFinite)).toBe(true);
  });
});

describe('the total of the window', () => {
  it('has the moments that the drawn paths tend to', () => {
    const days = Int32Array.of(30, 31, 33, 38);
    const { paths } = forecastWindow(structure, pieces, 20_000, Random.stream(3, 'forecast', 0));
    const totals = paths.map((path) => days.reduce((sum, day) => sum + (path[day - 30] ?? 0), 0));
    const mean = totals.reduce((sum, value) => sum + value, 0) / totals.length;
    const variance = totals.reduce((sum, value) => sum + (value - mean) * (value - mean), 0) / totals.length;
    const exact = windowTotal(structure, pieces, days);
    expect(Math.abs(exact.mean - mean) / exact.sd).toBeLessThan(0.03);
    expect(exact.sd / Math.sqrt(variance)).toBeCloseTo(1, 1);
  });
});
