import { expect, it } from '@jest/globals';
import { mixChannel, mixInput } from '../../../../test/fixtures/mix-input.js';
import { mixWarnings, type WarningFacts } from './mix-warnings.js';

const NOTHING: WarningFacts = { negativeWeeks: false, ignoredControls: [], fastestLevel: 0.5, tests: [] };

it('has nothing to say of a plain mix', () => {
  expect(mixWarnings(mixInput(), { ...NOTHING, tests: [{ channel: 'Radio', z: 3 }] })).toEqual([]);
});

it('repeats what the preparation said, first and once', () => {
  const input = mixInput(40, { warnings: ['maybe_week_start', 'negative_weeks'] });
  const facts = {
    negativeWeeks: true,
    ignoredControls: ['price', 'holiday'],
    fastestLevel: 0.51,
    tests: [
      { channel: 'Radio', z: 3.1 },
      { channel: 'Search', z: 1 },
    ],
  };
  expect(mixWarnings(input, facts)).toEqual([
    'maybe_week_start',
    'negative_weeks',
    'constant_control',
    'unstable_baseline',
    'test_conflict:Radio',
  ]);
});

it('names weeks without events', () => {
  const { y } = mixInput();
  expect(mixWarnings(mixInput(40, { y: y.map((value, t) => (t === 3 ? null : value)) }), NOTHING)).toEqual([
    'missing_weeks',
  ]);
});

it('compares a cost week with the median of active weeks, pauses left out', () => {
  const spend = Array.from({ length: 40 }, (_, t) => (t % 2 === 0 ? 0 : t === 39 ? 1990 : 100));
  const warningsOf = (largest: number): string[] =>
    mixWarnings(mixInput(40, { channels: [mixChannel('A', [...spend.slice(0, 39), largest])] }), NOTHING);
  expect(warningsOf(2000)).toEqual([]);
  expect(warningsOf(2001)).toEqual(['cost_outlier']);
});
