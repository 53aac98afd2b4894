import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newSigningKey } from '#runtime/signing-key-file.js';
import {
  clickingNetwork,
  collectedLine,
  daysAgo,
  dayText,
  HOSTER,
  HOSTER_ENTITY,
  peopleAtHome,
} from '../fixtures/clicking-network.js';
import { IntegrityClient } from '../support/integrity-client.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

const DAYS = [9, 8, 7, 6, 5, 4, 3];
const VERIFIER = resolve('deploy/verifier/tallyport-verify.mjs');

let service: TestService;
let asset: TestAsset;
let client: IntegrityClient;

beforeAll(async () => {
  service = await startService({
    SCORE_QUIET_MS: '300',
    SCORE_INTERVAL_MS: '2000',
    INTEGRITY_SIGNING_KEY: newSigningKey(),
  });
});

afterAll(async () => {
  await service.stop();
  delete process.env['INTEGRITY_SIGNING_KEY'];
});

beforeEach(async () => {
  asset = await service.newAsset();
  client = new IntegrityClient(service.baseUrl, asset.token);
});

interface EntityList {
  items: { entity_id: string; severity: string; sessions: number; flagged_sessions: number }[];
}

const entities = (): Promise<EntityList> => client.json<EntityList>('integrity/entities');

async function ledger(kind: string): Promise<Record<string, unknown>[]> {
  const rows = await service.dataSource.query<{ body: string }[]>(
    'SELECT body FROM integrity.evidence_entry WHERE asset_id = $1 AND kind = $2 ORDER BY seq',
    [asset.assetId, kind],
  );
  return rows.map(({ body }) => (JSON.parse(body) as { payload: Record<string, unknown> }).payload);
}

/** Waits until it holds. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries++) {
    if (tries > 300) throw new Error('It never came to hold.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function claim(): Promise<Record<string, string>[]> {
  const [header = '', ...rows] = (await client.text('integrity/evidence/refund.csv')).trimEnd().split('\n');
  const names = header.split(',');
  return rows.map((row) => Object.fromEntries(row.split(',').map((cell, place) => [names[place] ?? '', cell])));
}

describe('a network of a hoster that clicks on ads', () => {
  beforeEach(async () => {
    await client.importCosts(DAYS.map((day) => `${dayText(day)},Google Ads,100.00,USD`));
    await client.collect(DAYS.flatMap((day) => [...peopleAtHome(day), ...clickingNetwork(day)]));
    await client.settled();
  });

  it('is confirmed, and nobody else is named', async () => {
    expect(await entities()).toMatchObject({
      items: [{ entity_id: HOSTER_ENTITY, severity: 'confirmed', sessions: 980, flagged_sessions: 980 }],
      next_cursor: null,
    });
  });

  it('is claimed with its share of the spend, and the claim verifies', async () => {
    expect(await claim()).toMatchObject([
      {
        asn: '24940',
        channel: 'google_ads',
        severity: 'confirmed',
        flagged_sessions: '980',
        window_from: `${dayText(9)}T00:00:00Z`,
        window_to: `${dayText(3)}T23:59:59Z`,
        estimated_wasted: '490.00',
        currency: 'USD',
        sample_ips: [0, 1, 2, 3].map((host) => `${HOSTER}.${host}`).join(' '),
        chain_verified: 'true',
      },
    ]);
    const folder = mkdtempSync(join(tmpdir(), 'tallyport-claim-'));
    try {
      writeFileSync(join(folder, 'claim.csv'), await client.text('integrity/evidence/refund.csv'));
      writeFileSync(join(folder, 'bundle.json'), await client.text('integrity/evidence/bundle.json'));
      const verified = spawnSync(process.execPath, [VERIFIER, 'claim.csv', 'bundle.json'], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(verified).toMatchObject({ status: 0 });
      expect(verified.stdout).toContain('OK row 1 AS24940 google_ads');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is listed for blocking', async () => {
    expect(await client.text('integrity/blocklist/google.csv')).toBe(`IP address\n${HOSTER}.*\n`);
    expect(await client.text('integrity/blocklist.csv')).toContain(
      `${HOSTER}.0/24,${HOSTER}.*,24940,Hetzner Online GmbH,hosting,980\n`,
    );
  });

  it('tells of its current verdict in the ledger and by an event', async () => {
    expect(await ledger('verdict')).toMatchObject([
      { entity: HOSTER_ENTITY, old_severity: 'clean', new_severity: 'confirmed' },
    ]);
    const events = await service.dataSource.query<{ payload: { data: object } }[]>(
      `SELECT payload FROM integrity.outbox WHERE topic = 'integrity.verdict-changed.v1' AND key = $1`,
      [asset.assetId],
    );
    expect(events.map(({ payload }) => payload.data)).toMatchObject([
      { entity_id: HOSTER_ENTITY, cidr: `${HOSTER}.0/24`, asn: 24940, new_severity: 'confirmed' },
    ]);
  });

  it('is not written again when the same events come again', async () => {
    const { ledger_size: before } = await client.settled();
    await client.collect([...peopleAtHome(5), ...clickingNetwork(5)]);
    const { ledger_size: after } = await client.settled();
    expect(after).toBe(before);
  });

  it('is superseded on the day of a late event, and the claim follows', async () => {
    const before = (await ledger('detection')).length;
    await client.collect([
      collectedLine('late', daysAgo(5) + 150 * 600_000 - 1_000, 'bot-late', `${HOSTER}.9`, { ua_os: 'Linux' }),
    ]);
    await client.settled();
    const entries = (await ledger('detection')).slice(before);
    expect(entries).toMatchObject([{ entity: HOSTER_ENTITY, day: dayText(4) }]);
    expect(entries[0]?.['supersedes']).toEqual(expect.any(Number));
    expect(await claim()).toMatchObject([{ flagged_sessions: '981', chain_verified: 'true' }]);
  });

  it('is not claimed for its unpaid visits, though the channel has the same name', async () => {
    const organic = clickingNetwork(5).map((line, place) => ({
      ...line,
      event_id: `o-${place}`,
      distinct_id: `organic-${place}`,
      lt_channel_type: 'organic',
    }));
    await client.collect(organic);
    await client.settled();
    expect((await entities()).items).toMatchObject([{ sessions: 1120, flagged_sessions: 1120 }]);
    expect(await claim()).toMatchObject([
      { flagged_sessions: '980', estimated_wasted: '490.00', chain_verified: 'true' },
    ]);
  });

  it('is not claimed for sessions of people who converted before', async () => {
    await client.collect([
      collectedLine('c-1', daysAgo(8) + 1000, 'buyer', '79.192.3.3', {
        event_type: 'conversion',
        global_user_id: 'u-1',
      }),
      collectedLine('c-2', daysAgo(4) + 1000, 'buyer-2', `${HOSTER}.77`, { global_user_id: 'u-1' }),
    ]);
    await client.settled();
    expect(await claim()).toMatchObject([{ flagged_sessions: '980' }]);
    expect((await entities()).items).toMatchObject([{ sessions: 981, flagged_sessions: 980 }]);
  });

  it('leaves all files when its network is allowed, and comes back when the rule goes', async () => {
    const answer = await client.call('integrity/allowlist', {
      method: 'POST',
      type: 'application/json',
      body: JSON.stringify({ cidr: `${HOSTER}.0/24`, reason: 'uptime monitor' }),
    });
    expect(answer.status).toBe(201);
    const rule = (await answer.json()) as { rule_id: string };
    await until(async () => (await claim()).length === 0);
    expect((await entities()).items).toEqual([]);
    expect(await client.text('integrity/blocklist/google.csv')).toBe('IP address\n');
    const acts = (await ledger('allowlist')).map(({ act }) => act);
    expect(acts.filter((act) => act === 'added')).toHaveLength(1);
    expect(acts).toContain('applied');
    expect((await client.call(`integrity/allowlist/${rule.rule_id}`, { method: 'DELETE' })).status).toBe(204);
    await until(async () => (await claim()).length > 0);
    expect(await claim()).toMatchObject([{ flagged_sessions: '980', chain_verified: 'true' }]);
  });
});

it('takes costs that come after the events, and costs that are corrected', async () => {
  await client.collect(DAYS.flatMap((day) => [...peopleAtHome(day), ...clickingNetwork(day)]));
  await client.settled();
  expect(await claim()).toMatchObject([{ estimated_wasted: '0.00', chain_verified: 'true' }]);
  await client.importCosts(DAYS.map((day) => `${dayText(day)},adwords,50,EUR`));
  await until(async () => (await ledger('cost_basis')).length === DAYS.length);
  expect(await claim()).toMatchObject([{ estimated_wasted: '245.00', currency: 'EUR' }]);
  await client.importCosts([`${dayText(5)},adwords,0,EUR`]);
  await until(async () => (await ledger('cost_basis')).length === DAYS.length + 1);
  expect(await claim()).toMatchObject([{ estimated_wasted: '210.00', currency: 'EUR', chain_verified: 'true' }]);
});

it('spreads weekly costs over the visits of their week, each currency for itself', async () => {
  await client.importCosts([
    `${dayText(9)},google,700,EUR`,
    `${dayText(2)},Google Ads,700,EUR`,
    `${dayText(9)},google_ads,70,USD`,
    `${dayText(2)},AdWords,70,USD`,
  ]);
  await client.collect(DAYS.flatMap((day) => [...peopleAtHome(day), ...clickingNetwork(day)]));
  await client.settled();
  await until(async () => (await claim()).some(({ estimated_wasted }) => estimated_wasted !== '0.00'));
  // 140 of 200 visits a day are the network's; the week of the second rows has visits unless it begins after all of them.
  const weeks = new Date(daysAgo(9)).getUTCDay() === 1 ? 1 : 2;
  expect(await claim()).toMatchObject([
    { currency: 'EUR', estimated_wasted: `${490 * weeks}.00`, flagged_sessions: '980', chain_verified: 'true' },
    { currency: 'USD', estimated_wasted: `${49 * weeks}.00`, flagged_sessions: '980', chain_verified: 'true' },
  ]);
});

it('scores history, which has no current verdict', async () => {
  const days = DAYS.map((day) => day + 40);
  await client.collect(days.flatMap((day) => [...peopleAtHome(day), ...clickingNetwork(day)]));
  await client.settled();
  const range = `from=${dayText(60)}&to=${dayText(30)}`;
  expect(await client.json<EntityList>(`integrity/entities?${range}`)).toMatchObject({
    items: [{ entity_id: HOSTER_ENTITY, severity: 'confirmed', flagged_sessions: 980 }],
  });
  expect(await ledger('verdict')).toEqual([]);
});

it('names nobody where only people are', async () => {
  await client.collect(DAYS.flatMap(peopleAtHome));
  await client.settled();
  expect(await entities()).toEqual({ items: [], next_cursor: null });
  expect(await claim()).toEqual([]);
});

it('takes any address, and flags none that is reserved', async () => {
  const addresses = [
    '10.1.2.3',
    '::ffff:192.168.3.4',
    '127.0.0.1',
    'fe80::1',
    '203.0.113.9',
    null,
    'garbage',
    '2001:db8::1',
  ];
  await client.collect(
    DAYS.flatMap((day) =>
      addresses.flatMap((ip, place) =>
        Array.from({ length: 30 }, (_, click) =>
          collectedLine(
            `r-${day}-${place}-${click}`,
            daysAgo(day) + click * 600_000,
            `v-${place}-${day}-${click}`,
            ip,
            { ua_browser: 'HeadlessChrome' },
          ),
        ),
      ),
    ),
  );
  await client.settled();
  expect(await entities()).toEqual({ items: [], next_cursor: null });
});

afterEach(async () => {
  const [broken] = await service.dataSource.query<{ broken_reason: string }[]>(
    'SELECT broken_reason FROM integrity.ledger_head WHERE asset_id = $1 AND broken_at IS NOT NULL',
    [asset.assetId],
  );
  expect(broken).toBeUndefined();
});
