import { expect, it } from '@jest/globals';
import { doubts, type Evidence } from './identified.js';

const KNOWN: Evidence = {
  shares: Float64Array.from({ length: 101 }, (_, i) => 0.1 + 0.001 * i),
  pEffect: 1,
  rhat: 1.01,
  activeWeeks: 60,
  variation: 0.6,
  partners: [],
  n: 104,
};

it('knows the effect of a channel that nothing speaks against', () => {
  expect(doubts(KNOWN)).toEqual([]);
  expect(doubts({ ...KNOWN, pEffect: 0.95, activeWeeks: 8, variation: 0.05, n: 26, rhat: 1.049 })).toEqual([]);
});

it.each<[Partial<Evidence>, string[]]>([
  [{ pEffect: 0.94 }, ['effect_uncertain']],
  [{ shares: new Float64Array(101) }, ['effect_uncertain', 'wide_interval']],
  [{ shares: Float64Array.from({ length: 101 }, (_, i) => 0.01 + 0.001 * i) }, ['wide_interval']],
  [{ rhat: 1.05 }, ['not_converged']],
  [{ activeWeeks: 7 }, ['few_active_weeks']],
  [{ variation: 0.049 }, ['low_variation']],
  [{ partners: ['Radio', 'TV'] }, ['collinear_with:Radio', 'collinear_with:TV']],
  [{ n: 25 }, ['short_window']],
])('does not with %j', (evidence, reasons) => {
  expect(doubts({ ...KNOWN, ...evidence })).toEqual(reasons);
});
