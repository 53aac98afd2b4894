import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  BEFORE,
  CONSTANT,
  liftDay,
  liftNumbers,
  liftRequest,
  mixChannel,
  mixNumbers,
} from '../fixtures/modeling-numbers.js';
import { ModelingRows } from '../fixtures/modeling-rows.js';
import { golden } from '../fixtures/reporting-rows.js';

let rows: ModelingRows;

beforeAll(async () => {
  rows = await ModelingRows.open();
});

afterAll(() => rows.stop());

const RUN_ID = '0b5e9f3a-1111-4222-8333-444455556666';
const TEST_ID = '7c1d2e3f-1111-4222-8333-444455556666';

/** Names that need quotes or look like formulas, and numbers that round to zero or away from it. */
const MIX = mixNumbers({
  n_weeks: 104,
  n_channels: 5,
  r2: -0.00004,
  mape: 0.05005,
  warnings: ['missing_weeks', 'test_conflict:a,b'],
  calibrated_channels: ['=cmd', 'Google Ads'],
  baseline_share: 1 / 3,
  seed: 2147483647,
  channels: [
    mixChannel({ ...CONSTANT, channel: '#print', family: 'print' }),
    mixChannel({ channel: '+49 "radio"\nand more', family: 'radio', contribution: 99.99995, roi: -0.00001, cpa: null }),
    mixChannel({ channel: '=cmd x', family: 'other', identified: false, contribution: 0.00004, roi_lo: 0, mroi: 1e-7 }),
    mixChannel({ channel: 'tv, linear', family: 'tv', contribution: 1234567.00005, contribution_share: 0.7 }),
    mixChannel({ channel: 'Ä', family: 'other', contribution: 0.00003, roi: 1e21, roi_hi: 1.00005 }),
  ],
});

const LIFT = liftNumbers({
  pre_from: '2026-02-27',
  n_days: 2,
  tail_days: 1,
  lift_total: -0.004,
  lift_lo: -35.005,
  lift_hi: 35.005,
  lift_pct: -0.001,
  p_value: 0.99995,
  treated: ['-Nord', 'Köln, "Süd"'],
  organic_shift: -3.3333,
  warnings: ['cannibalisation'],
  spend_window: 150,
  days: [
    liftDay({ ...BEFORE, day: '2026-02-27', observed: 101.005, counterfactual: 100, lift: 1.005, organic: null }),
    liftDay({ ...BEFORE, day: '2026-02-28', observed: null, lift: null }),
    liftDay({ day: '2026-03-01', spend_window: 50 }),
    liftDay({
      day: '2026-03-02',
      observed: 90,
      lift: -30.004,
      spend_window: 150,
      incremental_roas: -0.0667,
      cpa: null,
    }),
  ],
});
const REQUEST = liftRequest({ name: '=Spring "test"\n2026', metric: 'goal:sign_up', tail_days: 1 });

describe('the file of a model', () => {
  beforeAll(() => rows.run(MIX, { runId: RUN_ID, target: 'goal:a, "b"' }));

  it('has a byte-order mark, keys and values, an empty line and the channels', async () => {
    const file = await rows.file('mmm-run', { runId: RUN_ID });
    expect(file.text).toBe(golden('mmm-run.csv'));
    expect(file).toMatchObject({
      ...{ name: 'mmm-0b5e9f3a.csv', rows: 5, formulasEscaped: 3, limit: null, truncated: 0 },
      ...{ columnsOmitted: [], holdsCost: true, generated: '2026-04-01T06:07:08Z' },
    });
  });

  it('has no returns and no costs for members with the restriction', async () => {
    const file = await rows.file('mmm-run', { runId: RUN_ID, omitCost: true });
    expect(file.text).toBe(golden('mmm-run-restricted.csv'));
    expect(file.columnsOmitted).toEqual(['roi', 'roi_lo', 'roi_hi', 'mroi', 'cpa']);
    expect(file.holdsCost).toBe(false);
  });

  it('goes without the mark, and with formulas, when told so', async () => {
    const file = await rows.file('mmm-run', { runId: RUN_ID, bom: false, escapeFormulas: false });
    expect(file.formulasEscaped).toBe(0);
    expect(`\ufeff${file.text}`).toBe(
      golden('mmm-run.csv').replace("'=cmd;", '=cmd;').replace("'=cmd x", '=cmd x').replace("'+49", '+49'),
    );
  });

  it('has the header without channels', async () => {
    const runId = await rows.run(mixNumbers({ n_channels: 0, channels: [] }));
    const file = await rows.file('mmm-run', { runId });
    expect(file.text).toMatch(
      /\nmodel_version,1\n\nchannel,family,identified,contribution,contribution_share,roi,roi_lo,roi_hi,mroi,cpa\n$/,
    );
    expect(file.rows).toBe(0);
    expect(await rows.estimate('mmm-run', { runId })).toMatchObject({ bytesBeside: Buffer.byteLength(file.text) });
  });

  it('is the same at every export, and its size is known before', async () => {
    const runId = await rows.run(mixNumbers());
    const file = await rows.file('mmm-run', { runId });
    expect(await rows.file('mmm-run', { runId })).toMatchObject({ text: file.text });
    const { rows: count, bytesPerRow, limit } = await rows.estimate('mmm-run', { runId });
    expect([count, count * bytesPerRow, limit]).toEqual([2, Buffer.byteLength(file.text), null]);
  });

  it.each(['queued', 'running', 'failed', 'skipped'])('cannot be made of a run that is %s', async (status) => {
    const runId = await rows.run(undefined, { status });
    await expect(rows.file('mmm-run', { runId })).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(rows.estimate('mmm-run', { runId })).rejects.toMatchObject({ code: 'invalid_state' });
  });

  it('cannot be made of a run that is not there, or is of another asset', async () => {
    await expect(rows.file('mmm-run', { runId: randomUUID() })).rejects.toMatchObject({ code: 'not_found' });
    const other = rows.ofAnotherAsset();
    await expect(other.file('mmm-run', { runId: RUN_ID })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the file of a lift test', () => {
  beforeAll(() => rows.test(REQUEST, LIFT, { testId: TEST_ID }));

  it('has keys and values, an empty line and the days', async () => {
    const file = await rows.file('lift-test', { testId: TEST_ID });
    expect(file.text).toBe(golden('lift-test.csv'));
    expect(file).toMatchObject({
      ...{ name: 'lift-7c1d2e3f.csv', rows: 4, formulasEscaped: 2, limit: null, truncated: 0 },
      ...{ columnsOmitted: [], holdsCost: true, generated: '2026-04-01T06:07:08Z' },
    });
  });

  it('has no spend for members with the restriction', async () => {
    const file = await rows.file('lift-test', { testId: TEST_ID, omitCost: true });
    expect(file.text).toBe(golden('lift-test-without-cost.csv'));
    expect(file).toMatchObject({
      columnsOmitted: ['spend_window', 'incremental_roas', 'cpa'],
      holdsCost: false,
    });
  });

  it('has none either, for everybody, when what was spent is unknown', async () => {
    const days = LIFT.days.map((day) => ({ ...day, ...BEFORE }));
    const unknown = {
      spend_window: null,
      incremental_roas: null,
      incremental_roas_lo: null,
      incremental_roas_hi: null,
    };
    const other = rows.ofAnotherAsset();
    const testId = await other.test(REQUEST, { ...LIFT, ...unknown, cpa: null, days });
    const text = golden('lift-test-without-cost.csv').replace(TEST_ID, testId);
    for (const omitCost of [false, true]) {
      const file = await other.file('lift-test', { testId, omitCost });
      expect(file.text).toBe(text);
      expect(file).toMatchObject({ columnsOmitted: [], holdsCost: false });
    }
  });

  it('begins with a byte-order mark, and has formulas, when told so', async () => {
    const file = await rows.file('lift-test', { testId: TEST_ID, bom: true, escapeFormulas: false });
    expect(file.formulasEscaped).toBe(0);
    expect(file.text).toBe(
      `\ufeff${golden('lift-test.csv').replace("'=Spring", '=Spring').replace("'-Nord", '-Nord')}`,
    );
  });

  it('has a size that is known before', async () => {
    const file = await rows.file('lift-test', { testId: TEST_ID });
    const { rows: count, bytesPerRow, limit } = await rows.estimate('lift-test', { testId: TEST_ID });
    expect([count, count * bytesPerRow, limit]).toEqual([4, Buffer.byteLength(file.text), null]);
  });

  it.each(['scheduled', 'queued', 'running', 'failed'])('cannot be made of a test that is %s', async (status) => {
    const testId = await rows.test(liftRequest(), undefined, { status });
    await expect(rows.file('lift-test', { testId })).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(rows.estimate('lift-test', { testId })).rejects.toMatchObject({ code: 'invalid_state' });
  });

  it('cannot be made of a test that is not there, or is of another asset', async () => {
    await expect(rows.file('lift-test', { testId: randomUUID() })).rejects.toMatchObject({ code: 'not_found' });
    const other = rows.ofAnotherAsset();
    await expect(other.file('lift-test', { testId: TEST_ID })).rejects.toMatchObject({ code: 'not_found' });
  });
});
