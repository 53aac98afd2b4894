import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { csvLine, importFile, storedRows } from '../fixtures/cost-import-client.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService();
});

beforeEach(async () => {
  asset = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
});

const HEADER = 'date,channel,source,campaign,cost,currency,revenue\n';

describe('counts', () => {
  it('new rows are inserted, and all are updated by the same file again', async () => {
    const file = `${HEADER}2024-01-07,Google,,,1,,\n2024-01-14,Google,,,2,,\n`;
    expect(await importFile(service, asset, file)).toMatchObject({
      ok: true,
      total: 2,
      inserted: 2,
      updated: 0,
      skipped: 0,
      imported_from: '2024-01-07',
      imported_to: '2024-01-14',
    });
    expect(await importFile(service, asset, file)).toMatchObject({
      ok: true,
      total: 2,
      inserted: 0,
      updated: 2,
      skipped: 0,
      imported_from: '2024-01-07',
      imported_to: '2024-01-14',
    });
    expect(await storedRows(service, asset)).toHaveLength(2);
  });

  it('a key three times in a new file is one inserted and two updated; the last wins in all of its values', async () => {
    const file = `${HEADER}2024-01-07,Google,,,1,EUR,5\n2024-01-07,Google,,,2,GBP,6\n2024-01-07,Google,,,3,,\n`;
    expect(await importFile(service, asset, file)).toMatchObject({ total: 3, inserted: 1, updated: 2 });
    expect(await storedRows(service, asset)).toMatchObject([
      { cost: '3.000000', currency: 'USD', revenue: null, line: 4 },
    ]);
  });

  it('of a key twice the last imported row wins, not the last row', async () => {
    const file = `${HEADER}2024-01-07,Google,,,1,,\n2024-01-07,Google,,,2,,\n2024-01-07,Google,,,-3,,\n`;
    expect(await importFile(service, asset, file)).toMatchObject({ total: 3, inserted: 1, updated: 1, skipped: 1 });
    expect(await storedRows(service, asset)).toMatchObject([{ cost: '2.000000', line: 3 }]);
  });

  it('new, stored, repeated and rejected rows may stand in one file', async () => {
    await importFile(service, asset, `${HEADER}2024-01-07,Google,,,1,,\n2024-01-07,Meta,,,1,,\n`);
    const file = `${HEADER}2024-01-07,Google,,,9,,\n2024-01-07,TikTok,,,1,,\n2024-01-07,Google,,,8,,\nx,Google,,,1,,\n2024-01-07,TikTok,,,2,,\n2023-12-31,Bing,,,1,,\n`;
    expect(await importFile(service, asset, file)).toMatchObject({
      total: 6,
      inserted: 2,
      updated: 3,
      skipped: 1,
      imported_from: '2023-12-31',
      imported_to: '2024-01-07',
    });
    expect((await storedRows(service, asset)).map(({ channel, cost }) => `${channel} ${cost}`)).toEqual([
      'Bing 1.000000',
      'Google 8.000000',
      'Meta 1.000000',
      'TikTok 2.000000',
    ]);
  });

  it('rejected rows only: nothing is imported, and it is ok', async () => {
    expect(await importFile(service, asset, `${HEADER}x,Google,,,1,,\n`)).toMatchObject({
      ok: true,
      total: 1,
      inserted: 0,
      updated: 0,
      skipped: 1,
      imported_from: null,
      imported_to: null,
    });
  });

  it('another asset has rows of its own', async () => {
    const file = `${HEADER}2024-01-07,Google,,,1,,\n`;
    await importFile(service, asset, file);
    const other = await service.newAsset();
    expect(await importFile(service, other, file)).toMatchObject({ inserted: 1 });
    expect(await storedRows(service, asset)).toHaveLength(1);
  });

  it('long keys and short ones may stand in one file, new, stored and repeated', async () => {
    const long = ['漢'.repeat(256), '字'.repeat(256), '語'.repeat(256)];
    const rows = (cost: number): string =>
      csvLine(['2024-01-07', ...long, `${cost}`, '', '']) +
      csvLine(['2024-01-07', 'Google', '', '', `${cost}`, '', '']);
    expect(await importFile(service, asset, HEADER + rows(1) + rows(2))).toMatchObject({ inserted: 2, updated: 2 });
    expect(
      await importFile(service, asset, HEADER + rows(3) + rows(4) + csvLine(['2024-01-08', ...long, '5', '', ''])),
    ).toMatchObject({ inserted: 1, updated: 4 });
    expect((await storedRows(service, asset)).map(({ cost }) => cost)).toEqual(['4.000000', '4.000000', '5.000000']);
  });
});

describe('the lists are cut at 1,000 members, the totals are not', () => {
  it.each([999, 1000, 1001])('%d rows with one error, and as many with one warning', async (count) => {
    const rows = Array.from(
      { length: count },
      (_, index) => `2024-01-07,Unheard of,${index},,1,,\nx,Google,,,1,,\n`,
    ).join('');
    const report = await importFile(service, asset, HEADER + rows);
    expect(report).toMatchObject({
      total: 2 * count,
      inserted: count,
      skipped: count,
      errors_total: count,
      warnings_total: count,
    });
    const kept = Math.min(count, 1000);
    expect(report.warnings.map(({ line }) => line)).toEqual(Array.from({ length: kept }, (_, index) => 2 + 2 * index));
    expect(report.errors.map(({ line }) => line)).toEqual(Array.from({ length: kept }, (_, index) => 3 + 2 * index));
  });

  it('the cut may go through a row', async () => {
    const report = await importFile(service, asset, HEADER + ',,,,,,\n'.repeat(334));
    expect(report).toMatchObject({ total: 334, errors_total: 1002 });
    expect(report.errors).toHaveLength(1000);
    expect(report.errors.at(-1)).toMatchObject({ line: 335, field: 'date' });
  });
});

interface ModelRow {
  date: string;
  channel: string;
  campaign: string;
  cost: number;
  currency: string;
}

/** The rules of counts and of what is stored, row by row in memory. */
class Model {
  private readonly stored = new Map<string, { cost: number; currency: string; changedBy: number; line: number }>();

  import(
    rows: readonly ModelRow[],
    importNumber: number,
  ): {
    total: number;
    inserted: number;
    updated: number;
    skipped: number;
    imported_from: string | null;
    imported_to: string | null;
  } {
    const before = new Map(this.stored);
    let [inserted, updated, skipped] = [0, 0, 0];
    const dates: string[] = [];
    rows.forEach(({ date, channel, campaign, cost, currency }, index) => {
      if (cost < 0) {
        skipped++;
        return;
      }
      const key = `${date}|${channel}|${campaign}`;
      if (this.stored.has(key)) updated++;
      else inserted++;
      dates.push(date);
      const old = before.get(key);
      const isEqual = old?.cost === cost && old.currency === currency;
      this.stored.set(key, isEqual ? old : { cost, currency, changedBy: importNumber, line: index + 2 });
    });
    dates.sort();
    return {
      total: rows.length,
      inserted,
      updated,
      skipped,
      imported_from: dates[0] ?? null,
      imported_to: dates.at(-1) ?? null,
    };
  }

  get lines(): string[] {
    return [...this.stored]
      .map(([key, { cost, currency, changedBy, line }]) => `${key}|${cost}|${currency}|${changedBy}|${line}`)
      .sort();
  }
}

it('any sequence of imports counts and stores what a slow model does', async () => {
  const long = '語'.repeat(256);
  const row = fc.record<ModelRow>({
    date: fc.constantFrom('2024-01-07', '2024-01-08', '2025-06-01'),
    channel: fc.constantFrom('Google', 'google', long),
    campaign: fc.constantFrom('', 'a', long.slice(0, 255), `${long.slice(0, 255)}x`),
    cost: fc.constantFrom(0, 1, 1.5, 2, -1),
    currency: fc.constantFrom('USD', 'EUR'),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(row, { minLength: 1, maxLength: 15 }), { minLength: 1, maxLength: 5 }),
      async (files) => {
        const tenant = await service.newAsset();
        const model = new Model();
        const ids: string[] = [];
        for (const [index, rows] of files.entries()) {
          // One long source makes keys over the length of an index entry.
          const lines = rows.map(({ date, channel, campaign, cost, currency }) =>
            csvLine([date, channel, channel === long ? long : '', campaign, `${cost}`, currency, '']),
          );
          expect(await importFile(service, tenant, HEADER + lines.join(''))).toMatchObject(model.import(rows, index));
          const [newest] = await service.dataSource.query(
            'SELECT import_id FROM imports.job WHERE asset_id = $1 ORDER BY created_at DESC LIMIT 1',
            [tenant.assetId],
          );
          ids.push(newest.import_id as string);
        }
        const stored = (await storedRows(service, tenant)).map(
          (kept) =>
            `${kept.date}|${kept.channel}|${kept.campaign}|${Number(kept.cost)}|${kept.currency}|${ids.indexOf(kept.import_id)}|${kept.line}`,
        );
        expect(stored.sort()).toEqual(model.lines);
      },
    ),
    { numRuns: 60 },
  );
});
