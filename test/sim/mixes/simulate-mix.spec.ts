import { describe, expect, it } from '@jest/globals';
import { DEMAND_DRIVEN, MIX_KINDS } from './mix-kinds.js';
import { simulateMix } from './simulate-mix.js';
import { PANEL_KINDS } from '../panels/panel-kinds.js';
import { simulatePanel } from '../panels/simulate-panel.js';

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe.each(Object.entries({ ...MIX_KINDS, demand: DEMAND_DRIVEN }))('a simulated mix, %s', (_, kind) => {
  it('follows from its seed alone, and is as long and as wide as its kind', () => {
    for (const seed of SEEDS) {
      const { series, truth } = simulateMix(kind, seed);
      expect(simulateMix(kind, seed).series).toEqual(series);
      const channels = Object.keys(series.spend);
      expect(Object.keys(truth)).toEqual(channels);
      expect(channels.length).toBeGreaterThanOrEqual(kind.channels[0]);
      expect(channels.length).toBeLessThanOrEqual(kind.channels[1]);
      expect(series.y.length).toBeGreaterThanOrEqual(kind.weeks[0]);
      expect(series.y.length).toBeLessThanOrEqual(kind.weeks[1]);
      expect(new Set(series.weeks.map((week) => new Date(week).getUTCDay()))).toEqual(new Set([0]));
      for (const column of [series.y, ...Object.values(series.spend), ...Object.values(series.controls)]) {
        expect(column).toHaveLength(series.weeks.length);
        expect(column.every((value) => value >= 0)).toBe(true);
      }
    }
  });

  it('has shares and returns of the same effects', () => {
    for (const seed of SEEDS) {
      const { series, truth } = simulateMix(kind, seed);
      for (const [channel, { share, roi, hasEffect }] of Object.entries(truth)) {
        expect(roi * sum(series.spend[channel] ?? [])).toBeCloseTo(share * sum(series.y), 3);
        expect(share > 0).toBe(hasEffect);
      }
      expect(sum(Object.values(truth).map(({ share }) => share))).toBeLessThan(0.75);
    }
  });
});

describe('a test of a simulated mix', () => {
  it('finds the return of eight weeks, about that of all', () => {
    const ratios = SEEDS.map((seed) => {
      const { series, truth, test } = simulateMix(DEMAND_DRIVEN, seed);
      const { from, to, value, se } = test('ch0', 0.01);
      expect(series.weeks.indexOf(to) - series.weeks.indexOf(from)).toBe(7);
      expect(se / value).toBeCloseTo(0.01, 2);
      return value / (truth['ch0']?.roi ?? NaN);
    });
    expect(Math.min(...ratios)).toBeGreaterThan(0.3);
    expect(Math.max(...ratios)).toBeLessThan(2);
  });
});

describe.each(Object.entries(PANEL_KINDS))('a simulated panel, %s', (_, kind) => {
  it('follows from its seed alone, and has lifts of four sizes', () => {
    const planted = SEEDS.map((seed) => {
      const panel = simulatePanel(kind, seed);
      expect(simulatePanel(kind, seed)).toEqual(panel);
      const names = Object.keys(panel.values);
      expect(names).toEqual(expect.arrayContaining(panel.treated));
      expect(Object.values(panel.values).every((values) => values.length === panel.days.length)).toBe(true);
      const from = panel.days.indexOf(panel.testFrom);
      const observed = sum(panel.treated.flatMap((name) => panel.values[name]?.slice(from) ?? []));
      const relative = panel.truth / (observed - panel.truth);
      expect(Math.abs(relative - panel.planted)).toBeLessThanOrEqual(0.5 * panel.planted);
      return panel.planted;
    });
    expect(new Set(planted)).toEqual(new Set([0, 0.05, 0.1, 0.2]));
  });
});
