import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AllowlistRule } from '#contracts/integrity/allowlist.js';
import type { EntityItem, IntegrityStatus } from '#contracts/integrity/entity-list.js';
import { FilesModule } from '../fixtures/integrity-files-module.js';
import { IntegrityRows } from '../fixtures/integrity-rows.js';
import { askConforming, type Answer, type Ask } from '../support/ask-conforming.js';
import { startService, type TestService } from '../support/service.js';

interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

const INTEGRITY = '/api/v1/integrity';
const MARCH = 'from=2026-03-01&to=2026-03-31';
const RULES = `${INTEGRITY}/allowlist`;
const UNKNOWN = '019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10';

let service: TestService;

beforeAll(async () => {
  service = await startService({}, FilesModule);
});

afterAll(async () => {
  await service.stop();
});

async function newRows(): Promise<IntegrityRows> {
  return new IntegrityRows(service, await service.newAsset());
}

/** Every answer is checked against the OpenAPI document. */
function ask(rows: IntegrityRows, path: string, options: Partial<Ask> = {}): Promise<Answer> {
  return askConforming(service.baseUrl, path, { token: rows.asset.token, ...options });
}

async function entities(rows: IntegrityRows, query = MARCH): Promise<Page<EntityItem>> {
  const { status, body } = await ask(rows, `${INTEGRITY}/entities?${query}`);
  expect(status).toBe(200);
  return body as Page<EntityItem>;
}

const ids = ({ items }: Page<EntityItem>): string[] => items.map(({ entity_id }) => entity_id);

describe('the list of entities', () => {
  it('has the most severe first, then those with most sessions, then by id', async () => {
    const rows = await newRows();
    const at = (host: string, sessions = 5) => ({ day: '2026-03-10', host, sessions });
    await rows.found(
      { visits: [at('198.18.1.1')], severity: 'suspected' },
      { visits: [at('198.18.2.1', 6)], severity: 'likely', p: 0.8 },
      { visits: [at('198.18.3.1')], p: 0.95 },
      { visits: [at('198.18.20.1')] },
      { type: 'host', visits: [at('198.18.4.1', 4)] },
      { type: 'visitor', visits: [{ ...at('198.18.4.2', 3), visitor: 'robot' }] },
      { type: 'asn', visits: [{ ...at('198.18.9.2', 3), asn: 9 }], severity: 'likely', flagged: 0 },
      { visits: [at('2001:db9:1:2::/64')], severity: 'clean' },
      { visits: [{ ...at('198.18.30.1'), day: '2026-04-01' }] },
    );
    await rows.found({ visits: [{ ...at('198.18.3.1', 2), day: '2026-03-12' }], severity: 'likely', p: 0.99 });
    await rows.visits({ ...at('198.18.3.1', 1), day: '2026-03-13' });
    const all = await entities(rows);
    expect(ids(all).map((id) => id.replace(/^vis-.*/, 'vis'))).toEqual([
      'net-198.18.3.0-24',
      'net-198.18.20.0-24',
      'host-198.18.4.1',
      'vis',
      'net-198.18.2.0-24',
      'asn-9',
      'net-198.18.1.0-24',
    ]);
    expect(all.items[0]).toEqual({
      entity_id: 'net-198.18.3.0-24',
      entity_type: 'network',
      severity: 'confirmed',
      asn: 24940,
      asn_org: 'Example Hosting GmbH',
      network_type: 'hosting',
      sessions: 8,
      flagged_sessions: 7,
      score: 0.95,
    });
    expect(all.items.at(-1)).toMatchObject({ severity: 'suspected', flagged_sessions: 0 });
    expect(ids(await entities(rows, `${MARCH}&severity=likely`))).toEqual(['net-198.18.2.0-24', 'asn-9']);
    expect(ids(await entities(rows, `${MARCH}&type=host`))).toEqual(['host-198.18.4.1']);
    expect(ids(await entities(rows, `${MARCH}&severity=likely&type=asn`))).toEqual(['asn-9']);
    expect(ids(await entities(rows, 'from=2026-03-12&to=2026-03-12'))).toEqual(['net-198.18.3.0-24']);
  });

  it('lists clean networks when asked to', async () => {
    const rows = await newRows();
    await rows.found(
      { visits: [{ day: '2026-03-10', host: '198.18.1.1' }], severity: 'suspected' },
      { visits: [{ day: '2026-03-10', host: '198.18.2.1', sessions: 3 }], severity: 'clean' },
    );
    const isp = { day: '2026-03-10', networkType: 'isp', asn: null } as const;
    await rows.visits(
      { ...isp, host: '198.18.3.1', sessions: 4 },
      { ...isp, host: '2001:db9:a:2::/64', sessions: 3 },
      { ...isp, host: '10.0.0.1', networkType: 'reserved' },
      { ...isp, day: '2026-02-01', host: '198.18.5.1' },
    );
    const { items } = await entities(rows, `${MARCH}&severity=clean`);
    expect(
      items.map(({ entity_id, asn, asn_org, network_type, sessions }) => [
        entity_id,
        asn,
        asn_org,
        network_type,
        sessions,
      ]),
    ).toEqual([
      ['net-198.18.3.0-24', null, null, 'isp', 4],
      ['net-198.18.2.0-24', 24940, 'Example Hosting GmbH', 'hosting', 3],
      ['net6-20010db9000a-48', null, null, 'isp', 3],
    ]);
    expect(items[0]).toMatchObject({ entity_type: 'network', severity: 'clean', flagged_sessions: 0, score: 0 });
    expect(ids(await entities(rows, `${MARCH}&severity=clean&type=host`))).toEqual([]);
  });

  it('comes in pages that together are the whole, also while it grows', async () => {
    const rows = await newRows();
    await rows.found(
      ...Array.from({ length: 7 }, (_, place) => ({
        visits: [{ day: '2026-03-10', host: `198.18.${place}.1`, sessions: 1 + (place % 3) }],
        severity: place % 2 === 0 ? ('likely' as const) : ('confirmed' as const),
      })),
    );
    const whole = ids(await entities(rows));
    const pages: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page<EntityItem> = await entities(
        rows,
        `${MARCH}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      expect(page.items.length).toBeLessThanOrEqual(2);
      pages.push(...ids(page));
      cursor = page.next_cursor;
    }
    expect(pages).toEqual(whole);
    expect(whole).toHaveLength(7);
  });

  it.each([
    'severity=none',
    'type=net',
    'cursor=x',
    'limit=0',
    'from=2026-03-32',
    'to=x',
    'cap=1',
    'cursor=MyA1IGFzbi14',
  ])('refuses %s', async (query) => {
    const rows = await newRows();
    expect(await ask(rows, `${INTEGRITY}/entities?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_parameter', errors: [{ name: query.split('=')[0] }] },
    });
  });

  it('refuses a range of more than a year', async () => {
    const rows = await newRows();
    const { code } = await ask(rows, `${INTEGRITY}/entities?from=2024-01-01&to=2026-01-01`);
    expect(code).toBe('range_too_large');
  });
});

describe('the status', () => {
  const status = async (rows: IntegrityRows): Promise<IntegrityStatus> =>
    (await ask(rows, `${INTEGRITY}/status`)).body as IntegrityStatus;

  it('says what is pending, dirty, written and signed', async () => {
    const rows = await newRows();
    const { assetId } = rows.asset;
    expect(await status(rows)).toEqual({
      pending_events: 0,
      dirty_networks: 0,
      ledger_size: 0,
      checkpoint_size: 0,
      scored_through: null,
    });
    await rows.found({ visits: [{ day: '2026-03-10', host: '198.18.1.1' }] });
    await service.dataSource.query(
      `INSERT INTO access.collected (asset_id, topic, records) VALUES ($1, 'events.collected.v1', 120), ($1, 'consent.recorded.v1', 7)`,
      [assetId],
    );
    await service.dataSource.query(
      `INSERT INTO integrity.processed (asset_id, topic, records) VALUES ($1, 'events.collected.v1', 100)`,
      [assetId],
    );
    await service.dataSource.query(
      `INSERT INTO integrity.dirty (asset_id, net, day, not_before) VALUES ($1, 'a', '2026-03-10', '-infinity'),
         ($1, 'a', '2026-03-11', '-infinity'), ($1, 'b', '2026-03-10', now() + interval '1 hour')`,
      [assetId],
    );
    await service.dataSource.query(
      `INSERT INTO integrity.asset_state (asset_id, scored_through) VALUES ($1, '2026-03-10')`,
      [assetId],
    );
    expect(await status(rows)).toEqual({
      pending_events: 20,
      dirty_networks: 1,
      ledger_size: 1,
      checkpoint_size: 0,
      scored_through: '2026-03-10',
    });
  });
});

describe('the allow-list', () => {
  const add = (rows: IntegrityRows, rule: unknown, more: Partial<Ask> = {}): Promise<Answer> =>
    ask(rows, RULES, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: typeof rule === 'string' ? rule : JSON.stringify(rule),
      ...more,
    });
  const rules = async (rows: IntegrityRows, query = ''): Promise<Page<AllowlistRule>> =>
    (await ask(rows, `${RULES}${query}`)).body as Page<AllowlistRule>;

  it('adds, lists and removes rules', async () => {
    const rows = await newRows();
    const office = await add(rows, { cidr: '2001:DB8:1::/48', reason: '  Head office ', until: '2026-12-31' });
    expect(office.status).toBe(201);
    const rule = office.body as AllowlistRule;
    expect(rule).toEqual({
      rule_id: expect.any(String),
      cidr: '2001:db8:1::/48',
      asn: null,
      reason: 'Head office',
      by: expect.stringMatching(/^principal \d+$/),
      until: '2026-12-31',
      created_at: expect.any(String),
    });
    expect(office.headers.get('location')).toBe(`${RULES}/${rule.rule_id}`);
    const monitor = (await add(rows, { asn: 4_294_967_295, cidr: null, reason: 'Monitor' })).body as AllowlistRule;
    expect(monitor).toMatchObject({ cidr: null, asn: 4_294_967_295, until: null });
    expect(await rules(rows)).toEqual({ items: [monitor, rule], next_cursor: null });
    const first = await rules(rows, '?limit=1');
    expect(first.items).toEqual([monitor]);
    expect((await rules(rows, `?limit=1&cursor=${first.next_cursor ?? ''}`)).items).toEqual([rule]);
    expect((await ask(rows, `${RULES}/${rule.rule_id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await rules(rows)).items).toEqual([monitor]);
    expect((await ask(rows, `${RULES}/${rule.rule_id}`, { method: 'DELETE' })).code).toBe('not_found');
    const [stored] = await service.dataSource.query<{ removed_by: string }[]>(
      'SELECT removed_by FROM integrity.ivt_allow WHERE rule_id = $1 AND removed_at IS NOT NULL',
      [rule.rule_id],
    );
    expect(stored?.removed_by).toBe(rule.by);
  });

  it.each<[unknown, string[]]>([
    [{ reason: 'x' }, ['cidr']],
    [{ cidr: '198.51.100.0/24', asn: 1, reason: 'x' }, ['cidr']],
    [{ cidr: 7, reason: 'x' }, ['cidr']],
    [{ cidr: '198.51.100.1/24', reason: 'x' }, ['cidr']],
    [{ cidr: '0.0.0.0/0', reason: 'x' }, ['cidr']],
    [{ asn: 0, reason: 'x' }, ['asn']],
    [{ asn: '7', reason: 'x' }, ['asn']],
    [{ asn: 4_294_967_296, reason: 'x' }, ['asn']],
    [{ asn: 7 }, ['reason']],
    [{ asn: 7, reason: ' ' }, ['reason']],
    [{ asn: 7, reason: 'x'.repeat(257) }, ['reason']],
    [{ asn: 7, reason: 'a\0b' }, ['reason']],
    ['{"asn":7,"reason":"\\ud800"}', ['reason']],
    [{ asn: 7, reason: 'x', until: '2026-02-30' }, ['until']],
    [{ asn: 7, reason: 'x', until: 5 }, ['until']],
    [{ asn: 7, reason: 'x', colour: 1 }, ['colour']],
    ['{"asn":7,"asn":8,"reason":"x"}', ['asn']],
    [{ cidr: 'x', reason: '', until: 'x' }, ['cidr', 'reason', 'until']],
  ])('refuses %j', async (rule, names) => {
    const rows = await newRows();
    const { status, body } = await add(rows, rule);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_parameter' });
    expect((body as { errors: { name: string }[] }).errors.map(({ name }) => name)).toEqual(names);
    expect((await rules(rows)).items).toEqual([]);
  });

  it('refuses what is no JSON object, and other types', async () => {
    const rows = await newRows();
    for (const body of ['', '{', '[]', 'null']) expect((await add(rows, body)).code).toBe('invalid_json');
    const asCsv = await add(rows, 'x', { headers: { 'Content-Type': 'text/csv' } });
    expect(asCsv.code).toBe('unsupported_media_type');
    expect((await add(rows, `{"reason":"${'x'.repeat(20_000)}"}`)).code).toBe('body_too_large');
  });

  it('knows no rule of another asset, and none that is no UUID', async () => {
    const rows = await newRows();
    const others = await newRows();
    const { rule_id: id } = (await add(others, { asn: 7, reason: 'x' })).body as AllowlistRule;
    for (const unknown of [id, UNKNOWN, 'x'])
      expect((await ask(rows, `${RULES}/${unknown}`, { method: 'DELETE' })).code).toBe('not_found');
    expect((await rules(others)).items).toHaveLength(1);
  });
});
