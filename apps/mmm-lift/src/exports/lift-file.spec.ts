import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LIFT_DAYS_LAYOUT } from '#contracts/layouts/lift-days.layout.js';
import type { LiftDay } from '#contracts/modeling/lift-test.js';
import { liftDay, liftNumbers, liftRequest } from '../../../../test/fixtures/modeling-numbers.js';
import { expectDecimal, hostileText, parsed, recorded, shownText } from '../../../../test/fixtures/parsed-blocks.js';
import { liftFile } from './lift-file.js';
import { liftSummary, type LiftFileContent } from './lift-summary.js';

const { name, metric } = liftRequest();
const HEAD = { test_id: '7c1d2e3f-1111-4222-8333-444455556666', name, metric, status: 'succeeded' } as const;

const test = (values: Partial<LiftFileContent> = {}): LiftFileContent => ({
  ...HEAD,
  generated: '2026-04-01T06:07:08Z',
  ...liftNumbers(),
  ...values,
});

const number = fc.oneof(
  fc.double({ noNaN: true, min: -1e15, max: 1e15 }),
  fc.double({ min: -0.01, max: 0.01, noNaN: true }),
);
const maybe = fc.option(number);
const day = fc
  .record({
    observed: maybe,
    counterfactual: number,
    cf_lo: number,
    cf_hi: number,
    lift: maybe,
    organic: maybe,
    spend_window: maybe,
    incremental_roas: maybe,
    cpa: maybe,
  })
  .map((values) => liftDay(values));

describe('the file of a lift test', () => {
  it('is parsed to what went into it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(day, { maxLength: 6 }),
        fc.record({
          name: hostileText,
          treated: fc.array(hostileText, { minLength: 1 }),
          lift_total: number,
          mde_pct: maybe,
          p_value: fc.double({ min: 0, max: 1, noNaN: true }),
          spend_window: maybe,
        }),
        fc.record({ bom: fc.boolean(), escapeFormulas: fc.boolean(), omitCost: fc.boolean() }),
        async (days, summary, form) => {
          const file = liftFile(test({ ...summary, days }), form);
          const { bom, keys, header, table } = await parsed(file);
          expect(bom).toBe(form.bom);
          const shown = shownText(form.escapeFormulas);
          expect(keys.get('name')).toBe(shown(summary.name));
          expect(keys.get('treated')).toBe(shown(summary.treated.join(';')));
          expectDecimal(keys.get('lift_total'), summary.lift_total, 2);
          expectDecimal(keys.get('mde_pct'), summary.mde_pct, 2);
          expectDecimal(keys.get('p_value'), summary.p_value, 4);

          const withCost = summary.spend_window !== null && !form.omitCost;
          expect(keys.has('incremental_roas_hi')).toBe(withCost);
          const cost = withCost ? ['spend_window', 'incremental_roas', 'cpa'] : [];
          expect(header).toEqual(['day', 'observed', 'counterfactual', 'cf_lo', 'cf_hi', 'lift', 'organic', ...cost]);
          expect(table).toHaveLength(days.length);
          expect(file.rows).toBe(days.length);
          for (const [index, cells] of table.entries()) {
            const row = recorded(header, cells);
            for (const { key, type } of LIFT_DAYS_LAYOUT)
              if (type === 'decimal' && header.includes(key))
                expectDecimal(row.get(key), days[index]![key as keyof LiftDay] as number | null, 2);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('has its keys in order, those of cost last and only with spend', () => {
    const keys = liftSummary(test()).map(({ key }) => key);
    expect(keys.join(', ')).toBe(
      'title, test_id, name, metric, method, status, pre_from, pre_to, test_from, test_to, n_days, confidence_level, ' +
        'observed_total, counterfactual_total, lift_total, lift_lo, lift_hi, lift_pct, p_value, currency, generated, ' +
        'trust_tier, treated, n_controls, tail_days, lift_pct_lo, lift_pct_hi, calibration_factor, mde_pct, organic_shift, ' +
        'organic_shift_lo, organic_shift_hi, warnings, seed, model_version, incremental_roas_lo, incremental_roas_hi',
    );
    expect(liftSummary(test({ spend_window: null })).map(({ key }) => key)).toEqual(keys.slice(0, -2));
    // A test on which nothing was spent has the columns, with empty cells.
    expect(liftSummary(test({ spend_window: 0, incremental_roas_lo: null })).at(-2)).toEqual({
      key: 'incremental_roas_lo',
      value: '',
    });
  });

  it('takes the row numbers of a plain file for days', async () => {
    const days = [liftDay({ day: '41' }), liftDay({ day: '42' })];
    const content = test({ pre_from: '1', test_to: '42', test_id: null, days });
    const { keys, table } = await parsed(liftFile(content, { bom: false, escapeFormulas: true, omitCost: false }));
    expect([keys.get('pre_from'), keys.get('test_to'), keys.get('test_id')]).toEqual(['1', '42', '']);
    expect(table.map(([first]) => first)).toEqual(['41', '42']);
  });
});
