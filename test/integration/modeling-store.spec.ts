import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { writeLiftNumbers } from '#apps/mmm-lift/src/store/write-lift.js';
import { writeMixNumbers } from '#apps/mmm-lift/src/store/write-mix.js';
import { readLiftTest } from '#database/modeling/read-lift-test.js';
import { readLiftTests } from '#database/modeling/read-lift-tests.js';
import { readMixRun } from '#database/modeling/read-mix-run.js';
import { readMixRuns } from '#database/modeling/read-mix-runs.js';
import { rowReader, type RowReader } from '#database/modeling/row-reader.js';
import { CONSTANT, liftDay, liftNumbers, liftRequest, mixChannel, mixNumbers } from '../fixtures/modeling-numbers.js';
import { GENERATED, ModelingRows } from '../fixtures/modeling-rows.js';

let rows: ModelingRows;
let read: RowReader;

beforeAll(async () => {
  rows = await ModelingRows.open();
  read = rowReader(rows.dataSource);
});

afterAll(() => rows.stop());

const RUN_DETAILS = new Set(['weeks', 'curves', 'diagnostics'] as const);
const TEST_DETAILS = new Set(['days', 'diagnostics'] as const);

/** A finite number of any size; a negative zero is written as zero. */
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const maybe = fc.option(number);
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((value) => value.replaceAll('\0', ''));

describe('the numbers of a run', () => {
  it('are read as they were written, whatever their size', async () => {
    const channel = fc.record({
      contribution_share: maybe,
      contribution_share_lo: maybe,
      contribution_share_hi: maybe,
      spend: number,
      roi: maybe,
      roi_lo: maybe,
      roi_hi: maybe,
      mroi: maybe,
      mroi_lo: maybe,
      mroi_hi: maybe,
      cpa: maybe,
      reasons: fc.array(text),
      identified: fc.boolean(),
    });
    const week = fc.record({
      observed: maybe,
      baseline: number,
      fitted: number,
      contributions: fc.dictionary(text, number),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.record({ r2: maybe, mape: maybe, baseline_share: number, holdout_mape: maybe, warnings: fc.array(text) }),
        fc.array(channel, { maxLength: 4 }),
        fc.array(week, { maxLength: 4 }),
        fc.array(number, { minLength: 4, maxLength: 4 }),
        text,
        async (values, channels, weeks, [a = 0, b = 0, c = 0, d = 0], name) => {
          const testId = randomUUID();
          const numbers = mixNumbers({
            ...values,
            calibrated_channels: [name],
            channels: channels.map((one, index) =>
              mixChannel({ ...one, channel: `${name} ${index}`, contribution: 9 - index }),
            ),
            weeks: weeks.map((one, index) => ({ ...one, week_end: `2026-02-0${index + 1}` })),
            curves: [
              { channel: name, multiplier: 2, response: a, lo: b, hi: c },
              { channel: name, multiplier: 0, response: c, lo: b, hi: a },
            ],
            tests: [{ test_id: testId, channel: name, value: a, se: b, predicted: c, z: d }],
            diagnostics: {
              ...mixNumbers().diagnostics,
              channels: [{ channel: name, p_effect: a, rhat: b, alpha_mean: c, vif: d }],
            },
          });
          const runId = await rows.run(numbers);
          const run = await readMixRun(read, rows.assetId, runId, RUN_DETAILS);
          expect(run).toEqual({
            ...numbers,
            weeks: numbers.weeks.map((one) => ({ ...one, contributions: { ...one.contributions } })),
            ...{ run_id: runId, target: 'revenue', status: 'succeeded', trigger: 'request' },
            ...{
              generated: '2026-04-01T06:07:08Z',
              created_at: expect.any(String),
              started_at: null,
              finished_at: null,
            },
            ...{ requested_by: null, same_as: null, error_code: null, error: null },
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  it('come in the order of the file: by contribution as it is written, then by name, those not fitted last', async () => {
    const names = ['b', 'ä', 'Z', 'a'].map((channel) => mixChannel({ channel, contribution: 0.00001 }));
    const channels = [
      mixChannel({ ...CONSTANT, channel: 'y' }),
      mixChannel({ ...CONSTANT, channel: 'x' }),
      mixChannel({ channel: 'zero', contribution: 0 }),
      mixChannel({ channel: 'less', contribution: -0.5 }),
      ...names,
      mixChannel({ channel: 'most', contribution: 1e21 }),
    ];
    const run = await readMixRun(read, rows.assetId, await rows.run(mixNumbers({ channels })));
    expect(run?.channels.map(({ channel }) => channel)).toEqual(['most', 'Z', 'a', 'b', 'zero', 'ä', 'less', 'x', 'y']);
  });

  it('come without weeks, curves and diagnostics unless they are asked for', async () => {
    const runId = await rows.run(mixNumbers());
    const run = await readMixRun(read, rows.assetId, runId);
    for (const detail of ['weeks', 'curves', 'tests', 'diagnostics']) expect(run).not.toHaveProperty(detail);
    expect(await readMixRun(read, rows.assetId, runId, new Set(['curves'] as const))).toEqual({
      ...run,
      curves: mixNumbers().curves,
    });
  });

  it('are null in a run without any', async () => {
    const run = await readMixRun(read, rows.assetId, await rows.run(), RUN_DETAILS);
    expect(run).toMatchObject({ status: 'queued', trust_tier: null, warnings: null, generated: null, interval: null });
    expect(run).toMatchObject({ seed: 1, channels: [], weeks: [], curves: [], tests: [] });
    expect(run).not.toHaveProperty('diagnostics');
  });

  it.each([NaN, Infinity])('are refused with %p among them, and none is written', async (wrong) => {
    const runId = await rows.run();
    const [first, ...others] = mixNumbers().weeks;
    const numbers = mixNumbers({ weeks: [{ ...first!, contributions: { Radio: wrong } }, ...others] });
    const write = rows.dataSource.transaction((manager) =>
      writeMixNumbers(manager, rows.assetId, runId, numbers, GENERATED),
    );
    await expect(write).rejects.toThrow(`Radio is ${wrong}`);
    expect(await readMixRun(read, rows.assetId, runId)).toMatchObject({ n_weeks: null, channels: [] });
  });

  it('are not written for a run that is not there', async () => {
    const write = writeMixNumbers(rows.dataSource.manager, rows.assetId, randomUUID(), mixNumbers(), GENERATED);
    await expect(write).rejects.toThrow('There is no run');
  });

  it('belong to an asset', async () => {
    const runId = await rows.run(mixNumbers());
    expect(await readMixRun(read, randomUUID(), runId)).toBeUndefined();
    expect(await readMixRun(read, rows.assetId, randomUUID())).toBeUndefined();
  });
});

describe('the numbers of a test', () => {
  it('are read as they were written, whatever their size', async () => {
    const day = fc.record({
      observed: maybe,
      counterfactual: number,
      cf_lo: number,
      cf_hi: number,
      lift: maybe,
      organic: maybe,
      spend_window: maybe,
      incremental_roas: maybe,
      cpa: maybe,
    });
    const values = fc.record({
      confidence_level: number,
      observed_total: number,
      counterfactual_total: number,
      lift_total: number,
      lift_lo: number,
      lift_hi: number,
      lift_pct: maybe,
      lift_pct_lo: maybe,
      lift_pct_hi: maybe,
      p_value: number,
      calibration_factor: number,
      mde_pct: maybe,
      organic_shift: maybe,
      organic_shift_lo: maybe,
      organic_shift_hi: maybe,
      spend_window: maybe,
      incremental_roas: maybe,
      incremental_roas_lo: maybe,
      incremental_roas_hi: maybe,
      cpa: maybe,
      treated: fc.array(text),
      warnings: fc.array(text),
    });
    await fc.assert(
      fc.asyncProperty(values, fc.array(day, { maxLength: 4 }), fc.array(number), text, async (some, days, z, name) => {
        const numbers = liftNumbers({
          ...some,
          days: days.map((one, index) => ({ ...one, day: `2026-02-0${index + 1}` })),
          diagnostics: { ...liftNumbers().diagnostics, placebo_z: z, weights: [{ control: name, weight: z[0] ?? 0 }] },
        });
        const request = liftRequest({ name });
        const testId = await rows.test(request, numbers);
        expect(await readLiftTest(read, rows.assetId, testId, TEST_DETAILS)).toEqual({
          ...numbers,
          ...{ test_id: testId, name, metric: 'revenue', channels: ['Google Ads'], status: 'succeeded', request },
          ...{ generated: '2026-04-01T06:07:08Z', created_at: expect.any(String), started_at: null, finished_at: null },
          ...{ requested_by: null, error_code: null, error: null },
        });
      }),
      { numRuns: 60 },
    );
  });

  it('are what the request says in a test without any', async () => {
    const request = liftRequest({ tail_days: 7, pre_from: '2025-12-01' });
    const test = await readLiftTest(read, rows.assetId, await rows.test(request), TEST_DETAILS);
    expect(test).toMatchObject({
      ...{ status: 'scheduled', request, treated: ['Berlin', 'Köln'], tail_days: 7, n_days: 8, seed: 1 },
      ...{ pre_from: '2025-12-01', pre_to: '2026-02-28', test_from: '2026-03-01', test_to: '2026-03-01' },
      ...{ lift_total: null, trust_tier: null, confidence_level: null, generated: null, warnings: null, days: [] },
    });
    expect(test).not.toHaveProperty('diagnostics');
  });

  it('come without days and diagnostics unless they are asked for', async () => {
    const test = await readLiftTest(read, rows.assetId, await rows.test(liftRequest(), liftNumbers()));
    for (const detail of ['days', 'diagnostics']) expect(test).not.toHaveProperty(detail);
  });

  it('are refused when one is not finite, and none is written', async () => {
    const testId = await rows.test(liftRequest());
    const numbers = liftNumbers({ days: [liftDay({ cf_hi: NaN })] });
    const write = rows.dataSource.transaction((manager) =>
      writeLiftNumbers(manager, rows.assetId, testId, numbers, GENERATED),
    );
    await expect(write).rejects.toThrow('cf_hi is NaN');
    expect(await readLiftTest(read, rows.assetId, testId)).toMatchObject({ lift_total: null });
  });

  it('belong to an asset', async () => {
    const testId = await rows.test(liftRequest(), liftNumbers());
    expect(await readLiftTest(read, randomUUID(), testId)).toBeUndefined();
  });
});

describe('lists', () => {
  it('have the newest first, and go on behind a position', async () => {
    const own = rows.ofAnotherAsset();
    const runs: string[] = [];
    const tests: string[] = [];
    for (const numbers of [mixNumbers(), undefined, undefined]) runs.unshift(await own.run(numbers));
    for (const numbers of [liftNumbers(), undefined, undefined]) tests.unshift(await own.test(liftRequest(), numbers));

    const page = await readMixRuns(read, own.assetId, { limit: 2 });
    expect(page.map(({ id }) => id)).toEqual(runs.slice(0, 2));
    const last = page.at(-1)!;
    const [oldest, ...none] = await readMixRuns(read, own.assetId, { limit: 2, after: [last.created_text, last.id] });
    const { channels: _, ...item } = (await readMixRun(read, own.assetId, runs[2]!))!;
    expect(oldest?.item).toEqual(item);
    expect(none).toEqual([]);

    const firstTests = await readLiftTests(read, own.assetId, { limit: 1 });
    expect(firstTests.map(({ id }) => id)).toEqual(tests.slice(0, 1));
    const { created_text, id } = firstTests[0]!;
    const others = await readLiftTests(read, own.assetId, { limit: 9, after: [created_text, id] });
    const { request: _request, ...test } = (await readLiftTest(read, own.assetId, tests[2]!))!;
    expect(others.map((one) => one.item.test_id)).toEqual(tests.slice(1));
    expect(others[1]?.item).toEqual(test);
  });
});
