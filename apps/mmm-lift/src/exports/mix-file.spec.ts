import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MIX_CHANNELS_LAYOUT } from '#contracts/layouts/mix-channels.layout.js';
import type { MixChannel } from '#contracts/modeling/mix-run.js';
import { CONSTANT, mixChannel, mixNumbers } from '../../../../test/fixtures/modeling-numbers.js';
import { expectDecimal, hostileText, parsed, recorded, shownText } from '../../../../test/fixtures/parsed-blocks.js';
import { mixFile } from './mix-file.js';
import { mixChannelRows, mixSummary, type MixFileContent } from './mix-summary.js';

const HEAD = { run_id: '0b5e9f3a-1111-4222-8333-444455556666', target: 'revenue', generated: '2026-04-01T06:07:08.9Z' };
const PLAIN = { bom: false, escapeFormulas: true, omitCost: false };

const run = (values: Partial<MixFileContent> = {}): MixFileContent => ({ ...HEAD, ...mixNumbers(), ...values });

const number = fc.oneof(
  fc.double({ noNaN: true, min: -1e15, max: 1e15 }),
  fc.double({ min: -1e-4, max: 1e-4, noNaN: true }),
);
const maybe = fc.option(number);
const channel = fc
  .record({
    channel: hostileText,
    identified: fc.boolean(),
    contribution: maybe,
    contribution_share: maybe,
    roi: maybe,
    roi_lo: maybe,
    roi_hi: maybe,
    mroi: maybe,
    cpa: maybe,
  })
  .map((values) => mixChannel(values));

describe('the file of a model', () => {
  it('is parsed to what went into it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(channel, { maxLength: 6 }),
        fc.record({
          target: hostileText,
          warnings: fc.array(hostileText, { minLength: 1 }),
          r2: maybe,
          baseline_share: number,
        }),
        fc.record({ bom: fc.boolean(), escapeFormulas: fc.boolean(), omitCost: fc.boolean() }),
        async (channels, summary, form) => {
          const content = run({ ...summary, channels });
          const file = mixFile(content, form);
          const { bom, keys, header, table } = await parsed(file);
          expect(bom).toBe(form.bom);
          const shown = shownText(form.escapeFormulas);
          expect(keys.get('target')).toBe(shown(summary.target));
          expect(keys.get('warnings')).toBe(shown(summary.warnings.join(';')));
          expectDecimal(keys.get('r2'), summary.r2, 4);
          expectDecimal(keys.get('baseline_share'), summary.baseline_share, 4);

          const cost = form.omitCost ? [] : ['roi', 'roi_lo', 'roi_hi', 'mroi', 'cpa'];
          expect(header).toEqual(['channel', 'family', 'identified', 'contribution', 'contribution_share', ...cost]);
          expect(table).toHaveLength(channels.length);
          expect(file.rows).toBe(channels.length);
          const expected = mixChannelRows(content);
          for (const [index, cells] of table.entries()) {
            const row = recorded(header, cells);
            const wanted = expected[index]!;
            expect(row.get('channel')).toBe(shown(wanted.channel));
            expect(row.get('identified')).toBe(String(wanted.identified));
            for (const { key, type } of MIX_CHANNELS_LAYOUT)
              if (type === 'decimal' && header.includes(key))
                expectDecimal(row.get(key), wanted[key as keyof MixChannel] as number | null, 4);
          }
          expectDescending(table.map(([, , , contribution = '']) => contribution));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('has its keys in order, counts whole', () => {
    expect(mixSummary(run({ run_id: null, generated: null, warnings: ['a', 'b'] }))).toEqual(
      Object.entries({
        title: 'Marketing mix model',
        run_id: '',
        target: 'revenue',
        trust_tier: 'medium',
        n_weeks: '2',
        n_channels: '2',
        generated: '',
        r2: '0.8765',
        mape: '0.0500',
        converged: 'true',
        warnings: 'a;b',
        window_from: '2026-01-05',
        window_to: '2026-01-18',
        currency: 'EUR',
        interval: '0.9000',
        baseline_share: '0.6500',
        holdout_mape: '',
        calibrated_channels: '',
        seed: '1',
        model_version: '1',
      }).map(([key, value]) => ({ key, value })),
    );
  });

  it('puts channels that were not fitted last, whatever the others contribute', () => {
    const channels = [mixChannel({ ...CONSTANT, channel: 'a' }), mixChannel({ channel: 'b', contribution: 0 })];
    expect(mixChannelRows(run({ channels })).map((row) => row.channel)).toEqual(['b', 'a']);
  });

  it('counts the cells that it escaped in both blocks', async () => {
    const file = mixFile(run({ target: 'goal:x', warnings: ['=a'], channels: [mixChannel({ channel: '@b' })] }), PLAIN);
    await parsed(file);
    expect(file.formulasEscaped).toBe(2);
  });
});

/** Empty ones last. */
function expectDescending(contributions: string[]): void {
  for (const [index, contribution] of contributions.entries()) {
    const next = contributions[index + 1] ?? '';
    if (next === '') continue;
    expect(contribution).not.toBe('');
    expect(Number(contribution)).toBeGreaterThanOrEqual(Number(next));
  }
}
