import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LiftTest } from '#contracts/modeling/lift-test.js';
import type { MixChannel, MixRun } from '#contracts/modeling/mix-run.js';
import { call, csvLine, importFile, until } from '../fixtures/cost-import-client.js';
import { get } from '../fixtures/export-client.js';
import { ModelRows } from '../fixtures/model-rows.js';
import { expectDecimal, parsed, recorded, shownText, type ParsedBlocks } from '../fixtures/parsed-blocks.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

const DAY_MS = 86_400_000;
const MONDAY = Date.parse('2025-01-06');
const WEEKS = 30;
/** What spreadsheets take for a formula, and names that need quotes. */
const CHANNELS = ['=Meta', 'tv, "linear"\nand more', '#Radio'];
const TESTED = CHANNELS[0]!;
const ORDERS = 40;

let service: TestService;
let asset: TestAsset;

const dayText = (day: number): string => new Date(MONDAY + day * DAY_MS).toISOString().slice(0, 10);

/** The third channel always spends the same. */
function spend(channel: number, week: number): number {
  return channel === 2 ? 50 : Math.round(100 * (1.2 + Math.sin((week * (channel + 2)) / 3)));
}

beforeAll(async () => {
  service = await startService({ MODEL_DEBOUNCE_SECONDS: '600' });
  asset = await service.newAsset();
  const outcomes = Array.from({ length: WEEKS * 7 }, (_, day) => {
    const week = Math.floor(day / 7);
    const value = ORDERS + (day % 7) + Math.round(spend(0, week) / 20 + spend(1, week) / 40);
    return { day: dayText(day), place: ['DE', '', ''], value, organic: 5, events: 500 };
  });
  await new ModelRows(service.dataSource, asset.assetId).outcomes(outcomes);
  const rows = Array.from({ length: WEEKS * 7 }, (_, day) =>
    CHANNELS.map((name, index) =>
      csvLine([dayText(day), name, String(spend(index, Math.floor(day / 7)) / 4), 'USD', '']),
    ),
  );
  await importFile(service, asset, `date,channel,cost,currency,campaign\n${rows.flat().join('')}`);
});

afterAll(async () => {
  await service.stop();
});

async function submit(path: string, body: object): Promise<string> {
  const headers = { 'Content-Type': 'application/json' };
  const { status, headers: told } = await call(service, asset, JSON.stringify(body), { path, headers });
  expect(status).toBe(202);
  return told.get('location') ?? '';
}

async function ended<T extends MixRun | LiftTest>(location: string, include: string): Promise<T> {
  const ask = async (): Promise<T> => (await get<T>(service, asset, `${location}?include=${include}`)).body;
  const end = await until(ask, ({ status }) => status === 'succeeded' || status === 'failed');
  expect(end).toMatchObject({ status: 'succeeded', error: null });
  return end;
}

async function fileOf(location: string): Promise<ParsedBlocks> {
  const { status, body } = await get(service, asset, `${location}/export.csv`);
  expect(status).toBe(200);
  return parsed({ chunks: Readable.from([Buffer.from(body)]) });
}

function expectNear(number: number, expected: number): void {
  expect(Math.abs(number - expected)).toBeLessThanOrEqual(1e-9 * Math.abs(expected));
}

describe('a model of imported costs', () => {
  it('is the same as a file and as JSON, and its parts add up', async () => {
    const location = await submit('/api/v1/mmm/runs', { target: 'conversions', seed: 7 });
    const run = await ended<MixRun>(location, 'weeks,curves,diagnostics');
    const { keys, header, table } = await fileOf(location);

    expect([...keys].slice(0, 7)).toEqual([
      ['title', 'Marketing mix model'],
      ['run_id', run.run_id],
      ['target', 'conversions'],
      ['trust_tier', run.trust_tier],
      ['n_weeks', String(WEEKS)],
      ['n_channels', '3'],
      ['generated', run.generated],
    ]);
    expect([keys.get('window_from'), keys.get('window_to')]).toEqual([dayText(0), dayText(WEEKS * 7 - 1)]);
    expect([keys.get('seed'), keys.get('currency')]).toEqual(['7', 'USD']);
    expectDecimal(keys.get('baseline_share'), run.baseline_share, 4);
    expectDecimal(keys.get('r2'), run.r2, 4);

    expect(table.map(([name]) => name).sort()).toEqual(CHANNELS.map(shownText(true)).sort());
    for (const [index, cells] of table.entries()) {
      const row = recorded(header, cells);
      const channel = run.channels[index]!;
      expect(row.get('channel')).toBe(shownText(true)(channel.channel));
      for (const key of header.slice(3))
        expectDecimal(row.get(key), channel[key as keyof MixChannel] as number | null, 4);
    }
    expect(table[2]).toEqual(['#Radio', 'radio', 'false', '', '', '', '', '', '', '']);

    const observed = run.weeks!.reduce((sum, week) => sum + (week.observed ?? 0), 0);
    const brought = run.channels.reduce((sum, { contribution }) => sum + (contribution ?? 0), 0);
    expectNear(brought + run.baseline_share! * observed, observed);
    for (const { contribution, contribution_share: share } of run.channels.slice(0, 2))
      expectNear(contribution!, share! * observed);
  });

  it('returns contribution by spend when a conversion has a value', async () => {
    const settings = { targets: ['conversions'], conversion_value: 12.5 };
    const headers = { 'Content-Type': 'application/json' };
    const put = { method: 'PUT', path: '/api/v1/modeling/settings', headers } as const;
    expect((await call(service, asset, JSON.stringify(settings), put)).status).toBe(200);
    const location = await submit('/api/v1/mmm/runs', { target: 'conversions' });
    const { channels } = await ended<MixRun>(location, 'weeks');
    for (const { roi, spend: spent, contribution } of channels.slice(0, 2))
      expectNear(roi! * spent, contribution! * 12.5);
  });
});

describe('a lift test of the whole market', () => {
  it('is the same as a file and as JSON, and its days add up', async () => {
    const name = '=SUM("a", 1)\n2';
    const dates = { test_from: dayText(140), test_to: dayText(153), tail_days: 3 };
    const location = await submit('/api/v1/lift/tests', { name, metric: 'conversions', channels: [TESTED], ...dates });
    const test = await ended<LiftTest>(location, 'days');
    const { keys, header, table } = await fileOf(location);

    expect([keys.get('title'), keys.get('test_id'), keys.get('name')]).toEqual(['Lift test', test.test_id, `'${name}`]);
    expect([keys.get('test_to'), keys.get('n_days'), keys.get('tail_days')]).toEqual([dates.test_to, '17', '3']);
    expect([keys.get('confidence_level'), keys.get('method')]).toEqual(['0.90', 'own_history']);
    expectDecimal(keys.get('lift_total'), test.lift_total, 2);
    expectDecimal(keys.get('p_value'), test.p_value, 4);
    expectDecimal(keys.get('incremental_roas_hi'), test.incremental_roas_hi, 2);

    expect([table[0]?.[0], table.at(-1)?.[0]]).toEqual([test.pre_from, dayText(156)]);
    expect(table).toHaveLength(test.days!.length);
    const window = test.days!.slice(-17);
    expectNear(
      window.reduce((sum, { lift }) => sum + (lift ?? 0), 0),
      test.lift_total!,
    );
    const last = recorded(header, table.at(-1)!);
    expectDecimal(last.get('spend_window'), test.spend_window, 2);
    const before = recorded(header, table.at(-18)!);
    expect([before.get('spend_window'), before.get('incremental_roas'), before.get('cpa')]).toEqual(['', '', '']);
  });
});
