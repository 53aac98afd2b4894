import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  golden,
  reportingTables,
  sessionPart,
  type AssetRows,
  type ReportingTables,
} from '../fixtures/reporting-rows.js';

let tables: ReportingTables;
beforeAll(async () => {
  tables = await reportingTables();
});
afterAll(() => tables.stop());

let people = 0;

async function person(asset: AssetRows, globalUserId: string, record: Record<string, unknown> = {}): Promise<number> {
  const id = ++people;
  await asset.insert('person', { global_user_id: globalUserId, person_id: id, ...record });
  return id;
}

describe('users', () => {
  it('are named people with an event in the range, newest identified first', async () => {
    const asset = tables.newAsset();
    const day = '2026-03-10';
    const at = `${day}T10:00:00Z`;
    const seen = async (name: string, record: Record<string, unknown> = {}) =>
      asset.part(await person(asset, name, record), day, at);
    await seen('known', {
      email: 'a@example.com',
      phone: '+49 (30) 12.34-5',
      crm_client_id: 'crm, 1',
      first_seen_at: '2020-02-29T23:59:59.999Z',
      identified_at: '2026-03-01T01:02:03+02:00',
      identified: true,
    });
    await seen('=cmd', { email: '@x', phone: '+cmd', crm_client_id: '-1', identified_at: '2026-03-02T00:00:00Z' });
    await seen('never ü');
    await seen('Never');
    await seen('never a');
    const regular = await person(asset, 'regular', { identified_at: '2026-03-01T01:02:03+02:00' });
    for (const [date, time] of [
      ['2026-03-11', '2026-03-11T09:00:00Z'],
      ['2026-02-01', '2026-02-01T12:00:00Z'],
      ['2026-02-01', '2026-02-01T11:00:00.5Z'],
      ['2026-04-02', '2026-04-02T00:00:00Z'],
    ] as const)
      await asset.part(regular, date, time);
    await asset.part(await person(asset, 'too late'), '2026-04-01', '2026-04-01T00:00:00Z');
    await asset.part(await person(asset, 'too early'), '2026-02-28', '2026-02-28T00:00:00Z');
    await person(asset, 'identified only', { identified: true, first_seen_at: at });
    await asset.part(++people, day, at);
    await asset.part(await person(asset, 'of a rebuild'), day, at, 2);

    const file = await asset.file('users');
    expect(file.text).toBe(golden('users.csv'));
    expect(file).toMatchObject({
      name: 'tallyport-users-2026-03-01_2026-03-31.csv',
      rows: 6,
      limit: 50_000,
      truncated: 0,
      formulasEscaped: 4,
      holdsCost: false,
    });
    expect(await asset.estimate('users')).toMatchObject({ rows: 6, limit: 50_000 });
    const raw = await asset.file('users', { escapeFormulas: false });
    expect(raw.text).toContain('\n=cmd,@x,+cmd,-1,');
    expect(raw.formulasEscaped).toBe(0);
  });

  it('begin on their first local day although the clock went back over midnight', async () => {
    const asset = tables.newAsset();
    const id = await person(asset, 'p');
    await asset.part(id, '2026-03-02', '2026-03-01T23:59:30Z');
    await asset.part(id, '2026-03-01', '2026-03-02T00:10:00Z');
    expect((await asset.file('users')).text.split('\n')[1]).toBe('p,,,,2026-03-01T23:59:30Z,');
  });

  it.each([
    ['most', 2],
    ['few', 40],
  ])('are the same whether %s of all people were there', async (_, elsewhere) => {
    const asset = tables.newAsset();
    const seen = async (name: string, identifiedAt?: string) =>
      asset.part(await person(asset, name, { identified_at: identifiedAt }), '2026-03-10', '2026-03-10T10:00:00.9Z');
    await seen('b');
    await seen('a');
    await seen('early', '2025-12-31T23:59:59.999Z');
    await seen('late', '2026-01-01T00:00:00Z');
    for (let count = 0; count < elsewhere; count++) {
      const id = await person(asset, `other ${count}`, { identified_at: `2026-02-01T00:00:0${count % 10}Z` });
      await asset.part(id, '2026-04-10', '2026-04-10T10:00:00Z');
      await asset.part(id, '2026-02-10', '2026-02-10T10:00:00Z');
    }
    const { text, ...file } = await asset.file('users');
    const at = '2026-03-10T10:00:00Z';
    expect(text.split('\n').slice(1)).toEqual([
      `late,,,,${at},2026-01-01T00:00:00Z`,
      `early,,,,${at},2025-12-31T23:59:59Z`,
      `a,,,,${at},`,
      `b,,,,${at},`,
      '',
    ]);
    expect(file).toMatchObject({ rows: 4, truncated: 0 });
    expect(await asset.estimate('users')).toMatchObject({ rows: 4 });
  });

  it('are 50,000 at most', async () => {
    const asset = tables.newAsset();
    const part = sessionPart('2026-03-01', '2026-03-01T00:00:00Z');
    await tables.dataSource.query(
      `WITH p AS (
         INSERT INTO reporting.person (asset_id, global_user_id, person_id, identified_at)
         SELECT $1, 'u' || n, n + 1000000, timestamptz '2020-01-01Z' + n * interval '1 minute' FROM generate_series(1, 50007) AS n
         RETURNING person_id
       )
       INSERT INTO reporting.session_part (${Object.keys(part).join(', ')}, asset_id, visitor_id, person_id)
       SELECT ${Object.keys(part)
         .map((_, index) => `$${index + 2}`)
         .join(', ')}, $1, person_id, person_id FROM p`,
      [asset.assetId, ...Object.values(part)],
    );
    await asset.spans();
    const file = await asset.file('users');
    expect(file).toMatchObject({ rows: 50_000, truncated: 7 });
    const lines = file.text.split('\n');
    expect(lines).toHaveLength(50_002);
    expect(lines[1]).toBe('u50007,,,,2026-03-01T00:00:00Z,2020-02-04T17:27:00Z');
    expect(lines[50_000]).toMatch(/^u8,/);
    expect(await asset.estimate('users')).toMatchObject({ rows: 50_007, limit: 50_000 });
  });
});
