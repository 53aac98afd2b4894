import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { monthOf, Partitions } from '#apps/reporting/src/ingest/partitions.js';
import { rawEventsExport } from '#apps/reporting/src/exports/raw-events.export.js';
import type { EventRecord } from '#contracts/collect/collected.js';
import { RAW_EVENTS_LAYOUT } from '#contracts/layouts/raw-events.layout.js';
import { readCsv } from '#csv/read-csv.js';
import type { ExportSnapshot } from '#jobs/export-definition.js';
import {
  formulaCells,
  golden,
  reportingTables,
  type AssetRows,
  type ReportingTables,
} from '../fixtures/reporting-rows.js';

let tables: ReportingTables;
beforeAll(async () => {
  tables = await reportingTables();
  const months = ['2026-02-01', '2026-03-01', '2026-04-01'].map((day) => monthOf(Date.parse(day) * 1000));
  await new Partitions(tables.dataSource).ensure(months);
});
afterAll(() => tables.stop());

function event(asset: AssetRows, event_id: string, event_time: string, more: Partial<EventRecord> = {}): Promise<void> {
  const record = { event_id, event_time, event_type: 'page_view', distinct_id: 'd', ...more };
  return asset.insert('event', { ...record, formula_cells: formulaCells(record) });
}

/** Makes the range large enough for two connections: by the rollups half of it is before 16 March. */
async function manyEvents(asset: AssetRows): Promise<void> {
  await asset.day('all', [], '2026-03-15', { events: 30_000 });
  await asset.day('all', [], '2026-03-16', { events: 30_000 });
}

const TEXT_KEYS = RAW_EVENTS_LAYOUT.filter(({ type }) => type === 'text').map(({ key }) => key);

async function parsed(text: string): Promise<Record<string, string>[]> {
  const records: Record<string, string>[] = [];
  let header: readonly string[] | undefined;
  for await (const batch of readCsv(Readable.from([Buffer.from(text)])))
    for (const { cells } of batch.records) {
      if (header === undefined) header = cells;
      else records.push(Object.fromEntries(header.map((key, index) => [key, cells[index] ?? ''])));
    }
  return records;
}

describe('raw events', () => {
  it.each([0, 1])('are oldest first, of the local days, with %p further connections', async (spare) => {
    const asset = tables.newAsset();
    await manyEvents(asset);
    const all = {
      event_name: 'Checkout, "express"',
      global_user_id: 'u1',
      page_host: 'shop.example',
      page_path: '/a?b=c',
      ft_channel: 'Google',
      ft_source: 'google',
      lt_channel: '=lt',
      ip: '2001:db8::1',
      geo_country: 'DE',
      geo_region: 'BE',
      geo_city: 'Berlin',
      ua_browser: 'Firefox',
      ua_os: 'Linux',
    };
    await event(asset, 'b', '2026-03-10T08:00:00Z', { distinct_id: 'second' });
    await event(asset, 'B', '2026-03-10T08:00:00Z', { distinct_id: 'first' });
    await event(asset, 'a', '2026-03-10T08:00:00.000001Z', { ...all, event_type: 'conversion' });
    await event(asset, 'c', '2026-03-20T08:00:00.999Z', { page_path: 'line\nbreak', distinct_id: '-1' });
    // Berlin: the days begin in winter time and end in summer time.
    await event(asset, 'd', '2026-02-28T23:00:00Z', { distinct_id: 'first of the range' });
    await event(asset, 'e', '2026-02-28T22:59:59.999999Z');
    await event(asset, 'f', '2026-03-31T21:59:59.999999Z', { distinct_id: 'last of the range' });
    await event(asset, 'g', '2026-03-31T22:00:00Z');
    await event(tables.newAsset(), 'h', '2026-03-10T08:00:00Z');

    const berlin = { asset: { name: 'n', timezone: 'Europe/Berlin', currency: 'EUR' } };
    const file = await asset.file('raw-events', berlin, spare);
    expect(file.text).toBe(golden('raw-events.csv'));
    expect(file).toMatchObject({
      name: 'raw-events.csv',
      rows: 6,
      limit: null,
      truncated: 0,
      formulasEscaped: 2,
      columnsOmitted: [],
      holdsCost: false,
    });
    const raw = await asset.file('raw-events', { ...berlin, escapeFormulas: false, bom: true }, spare);
    expect(raw.text).toBe(`\ufeff${golden('raw-events.csv').replaceAll(",'", ',')}`);
    expect(raw.formulasEscaped).toBe(0);
  });

  it.each([
    ['Atlantic/Azores', '2025-10-26', '2025-10-26T00:00:00Z', '2025-10-27T01:00:00Z'],
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00Z', '2018-11-05T02:00:00Z'],
    ['Australia/Lord_Howe', '2025-10-05', '2025-10-04T13:30:00Z', '2025-10-05T13:00:00Z'],
    ['Pacific/Kiritimati', '2026-03-01', '2026-02-28T10:00:00Z', '2026-03-01T10:00:00Z'],
    ['Pacific/Pago_Pago', '2026-03-01', '2026-03-01T11:00:00Z', '2026-03-02T11:00:00Z'],
  ])('of one day in %s', async (timezone, day, first, end) => {
    const asset = tables.newAsset();
    await new Partitions(tables.dataSource).ensure([first, end].map((time) => monthOf(Date.parse(time) * 1000)));
    const before = (time: string) => new Date(Date.parse(time) - 1).toISOString();
    await event(asset, '1', before(first), { distinct_id: 'before' });
    await event(asset, '2', first, { distinct_id: 'first' });
    await event(asset, '3', before(end), { distinct_id: 'last' });
    await event(asset, '4', end, { distinct_id: 'after' });
    const file = await asset.file('raw-events', { from: day, to: day, asset: { name: '', timezone, currency: 'USD' } });
    expect((await parsed(file.text)).map(({ distinct_id }) => distinct_id)).toEqual(['first', 'last']);
  });

  it('come back equal whatever they hold, and none begins like a formula', async () => {
    const asset = tables.newAsset();
    const texts = [
      '=1+1', '+1', '-1', '@a', '\tx', '\rx', '\nx', '＝1', '＋1', '－1', '＠x', "'", "'=1", '"', '""', ',', ' ', ' =1', '#x',
      '\\.', '\\N', '\\', 'a\r\nb', '\u2028', '\ufeff', '\ufeff=1', '\u0001', '🦊', '\u202e', '%s', 'NULL', 'x'.repeat(256),
    ]; // prettier-ignore
    for (const [index, text] of texts.entries())
      await event(
        asset,
        String(index),
        new Date(Date.parse('2026-03-01') + index * 1000).toISOString(),
        Object.fromEntries(TEXT_KEYS.map((key) => [key, text])),
      );
    const file = await asset.file('raw-events');
    const rows = await parsed(file.text);
    expect(rows).toHaveLength(texts.length);
    let escaped = 0;
    for (const [index, row] of rows.entries())
      for (const key of TEXT_KEYS) {
        const text = texts[index]!;
        const isFormula = /^[=+\-@\t\r\n＝＋－＠]/.test(text);
        if (isFormula) escaped++;
        expect(row[key]).toBe(isFormula ? `'${text}` : text);
      }
    expect(file).toMatchObject({ rows: texts.length, formulasEscaped: escaped });
  });

  it('of days at the ends of the calendar are none', async () => {
    const asset = { name: '', timezone: 'Pacific/Kiritimati', currency: 'USD' };
    for (const day of ['0001-01-01', '9999-12-31'])
      expect(await tables.newAsset().file('raw-events', { from: day, to: day, asset })).toMatchObject({ rows: 0 });
  });

  it.each([0, 1])('come in the order of an index, with %p further connections: nothing is sorted', async (spare) => {
    const asset = tables.newAsset();
    await manyEvents(asset);
    await tables.dataSource.query(
      `INSERT INTO reporting.event (asset_id, event_time, event_id, event_type, distinct_id, formula_cells)
       SELECT $1, timestamptz '2026-03-01T00:00:00Z' + make_interval(secs => n * 7919 % 2500000), n, 'page_view', 'd', 0
         FROM generate_series(1, 20000) AS n`,
      [asset.assetId],
    );
    await tables.dataSource.query('ANALYZE reporting.event');
    await asset.onSnapshot(spare, async (snapshot) => {
      const plans: Promise<{ 'QUERY PLAN': string }[]>[] = [];
      const watched = (connection: ExportSnapshot): ExportSnapshot => ({
        query: (sql, parameters) => connection.query(sql, parameters),
        copyTo: (sql) => {
          const select = /^COPY \((.*)\) TO STDOUT/s.exec(sql)?.[1];
          plans.push(connection.query(`EXPLAIN ${select}`));
          return connection.copyTo(sql);
        },
        second: async () => {
          const second = await connection.second();
          return second && watched(second);
        },
      });
      const { chunks } = await rawEventsExport.content(watched(snapshot), asset.request({}));
      for await (const chunk of chunks) expect(chunk.length).toBeGreaterThan(0);
      expect(plans).toHaveLength(spare === 0 ? 1 : 4);
      for (const plan of await Promise.all(plans))
        expect(plan.map((line) => line['QUERY PLAN']).join('\n')).not.toMatch(/Sort|Gather|Bitmap|Seq Scan/);
    });
  });

  it('are estimated by the rollups and a sample', async () => {
    const asset = tables.newAsset();
    await manyEvents(asset);
    await event(asset, 'a', '2026-03-10T08:00:00Z');
    const line = '2026-03-10T08:00:00Z,page_view,,d,,,,,,,,,,,,\n';
    const small = tables.newAsset();
    await small.day('all', [], '2026-03-10', { events: 1 });
    await event(small, 'a', '2026-03-10T08:00:00Z');
    const { text } = await small.file('raw-events');
    const bytesBeside = Buffer.byteLength(text) - line.length;
    expect(await small.estimate('raw-events')).toEqual({ rows: 1, bytesPerRow: line.length, limit: null, bytesBeside });
    expect(await asset.estimate('raw-events')).toMatchObject({ rows: 60_000, limit: null });
  });

  it('end when nobody reads on, or a query fails', async () => {
    const asset = tables.newAsset();
    await manyEvents(asset);
    await event(asset, 'a', '2026-03-10T08:00:00Z');
    await asset.onSnapshot(1, async (snapshot) => {
      const { chunks } = await rawEventsExport.content(snapshot, asset.request({}));
      let pieces = 0;
      for await (const _ of chunks) if (++pieces === 2) break;
      expect(pieces).toBe(2);
    });
    await asset.onSnapshot(1, async (snapshot) => {
      const second = (await snapshot.second())!;
      const broken: ExportSnapshot = {
        query: (sql, parameters) => second.query(sql, parameters),
        copyTo: () => second.copyTo('COPY nothing'),
        second: () => Promise.resolve(undefined),
      };
      const failing: ExportSnapshot = {
        query: (sql, parameters) => snapshot.query(sql, parameters),
        copyTo: (sql) => snapshot.copyTo(sql),
        second: () => Promise.resolve(broken),
      };
      const { chunks } = await rawEventsExport.content(failing, asset.request({}));
      await expect(
        (async () => {
          for await (const chunk of chunks) expect(chunk.length).toBeGreaterThan(0);
        })(),
      ).rejects.toThrow('syntax error');
    });
  });
});
