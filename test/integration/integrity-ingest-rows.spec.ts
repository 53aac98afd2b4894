import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { CostImportsConsumer } from '#apps/integrity/src/ingest/cost-imports.consumer.js';
import { loadTraffic, trafficContext } from '#apps/integrity/src/ingest/load-traffic.js';
import type { Query } from '#apps/integrity/src/scoring/query.js';
import { forgetHosts, forgetSeenEvents, forgetSessions } from '#apps/integrity/src/ingest/retention.js';
import { TrafficIngest } from '#apps/integrity/src/ingest/traffic-ingest.js';
import { NetworkKnowledge } from '#apps/integrity/src/networks/network-knowledge.js';
import { NetworksConfig } from '#apps/integrity/src/networks/networks.config.js';
import type { CostImportCompleted } from '#contracts/events/cost-import-completed.js';
import { createDataSource } from '#database/data-source.js';
import { Chance } from '../fixtures/event-streams.js';
import { newAsset } from '../fixtures/ingest-steps.js';
import { expectedSessions, type SentTraffic } from '../fixtures/traffic-oracle.js';
import { storedSessions, TRAFFIC_NOW, trafficMessage, trafficWriter } from '../fixtures/traffic-steps.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

const DAY_MS = 86_400_000;
const networks = NetworkKnowledge.load(new NetworksConfig());
let database: TestDatabase;
let dataSource: DataSource;
let assetId: string;

beforeAll(async () => {
  database = await testDatabase();
  dataSource = await createDataSource({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 4 }).initialize();
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

beforeEach(async () => {
  assetId = await newAsset(dataSource, 'Europe/Berlin');
});

function event(id: string, time: string, more: Partial<SentTraffic> = {}): SentTraffic {
  return { event_id: id, event_time: time, event_type: 'page_view', distinct_id: 'v', ip: '8.8.8.8', ...more };
}

function take(...events: object[]): ReturnType<TrafficIngest['ingest']> {
  return new TrafficIngest(dataSource, networks, 400).ingest(assetId, [trafficMessage(events)], TRAFFIC_NOW);
}

function rows<Row = Record<string, unknown>>(columns: string, table: string, order = '1'): Promise<Row[]> {
  return dataSource.query<Row[]>(`SELECT ${columns} FROM integrity.${table} WHERE asset_id = $1 ORDER BY ${order}`, [
    assetId,
  ]);
}

const dirtyDays = () => rows(`day::text, net`, 'dirty', 'day, net');

describe('a session', () => {
  it('without end, over days and months, is one, in whatever order it comes', async () => {
    const chance = new Chance(7);
    const start = Date.parse('2025-07-29T20:00:00Z');
    const events = Array.from({ length: 260 }, (_, number) =>
      event(`e-${number}`, new Date(start + number * 20 * 60_000).toISOString(), { page_path: `/${number % 3}` }),
    );
    const arriving = chance.shuffle(events);
    const pieces = Array.from({ length: 26 }, (_, number) => arriving.slice(number * 10, number * 10 + 10));
    await trafficWriter(dataSource, networks, assetId, pieces);
    const stored = await storedSessions(dataSource, networks, assetId);
    expect(stored).toEqual(expectedSessions(events, 'Europe/Berlin'));
    expect(stored).toMatchObject([{ events: 260, day: '2025-07-29', distinctPaths: 3 }]);
  });

  it('keeps 5,000 page views and counts all', async () => {
    const start = Date.parse('2025-07-29T20:00:00Z');
    const views = Array.from({ length: 5_100 }, (_, number) =>
      event(`e-${number}`, new Date(start + number * 1000).toISOString(), { page_path: '/' }),
    );
    await take(...views.slice(2000));
    await take(...views.slice(0, 2000), event('last', new Date(start + 5_100_000).toISOString(), { event_type: 'x' }));
    expect(await rows('events, other_events, landing_hits, length(views) AS bytes, sampled', 'ivt_session')).toEqual([
      { events: 5_101, other_events: 1, landing_hits: 5_000, bytes: 70_000, sampled: true },
    ]);
  });

  it('leaves its day when an earlier event comes, and both are to be scored', async () => {
    await take(event('b', '2025-07-31T22:05:00Z'));
    expect(await dirtyDays()).toEqual([{ day: '2025-08-01', net: '8.8.8.0/24' }]);
    await dataSource.query(
      `UPDATE integrity.ivt_session SET flagged_by = 'network', flagged_entity = 'net-8.8.8.0-24' WHERE asset_id = $1`,
      [assetId],
    );
    await dataSource.query('DELETE FROM integrity.dirty WHERE asset_id = $1', [assetId]);
    await take(event('a', '2025-07-31T21:55:00Z'));
    expect(await dirtyDays()).toEqual([
      { day: '2025-07-31', net: '8.8.8.0/24' },
      { day: '2025-08-01', net: '8.8.8.0/24' },
    ]);
    expect(await rows('day::text, first_event_id, events, flagged_entity', 'ivt_session')).toEqual([
      { day: '2025-07-31', first_event_id: 'a', events: 2, flagged_entity: 'net-8.8.8.0-24' },
    ]);
  });

  it('is described by its first event', async () => {
    const first = {
      lt_channel: 'AdWords',
      lt_channel_type: 'paid_search',
      ft_channel: 'Newsletter',
      ua_browser: 'HeadlessChrome',
      ua_os: 'Mac OS X',
      geo_country: undefined,
    };
    const later = { lt_channel: 'Direct', ua_browser: 'Chrome', ip: '8.8.8.9', geo_country: 'US' };
    await take(event('b', '2025-07-01T10:01:00Z', later));
    await take(event('a', '2025-07-01T10:00:00Z', first));
    const columns =
      'net, host, asn::int, network_type, channel, ft_channel, unpaid, ua_class, ua_browser, ua_os, geo_country';
    expect(await rows(columns, 'ivt_session')).toEqual([
      {
        net: '8.8.8.0/24',
        host: '8.8.8.8',
        asn: 15169,
        network_type: networks.lookup('8.8.8.8')?.type,
        channel: 'google_ads',
        ft_channel: 'email',
        unpaid: false,
        ua_class: 'automation',
        ua_browser: 'HeadlessChrome',
        ua_os: 'macOS',
        geo_country: 'US',
      },
    ]);
  });

  it('with Safari on an Apple system at the networks of a relay is of a relay', async () => {
    const safari = { ip: '104.16.0.1', ua_browser: 'Mobile Safari', ua_os: 'iOS' };
    await take(event('a', '2025-07-01T10:00:00Z', safari), event('b', '2025-07-01T11:00:00Z', { ip: '104.16.0.1' }));
    expect(await rows('asn::int, network_type', 'ivt_session', 'started_at')).toEqual([
      { asn: 13335, network_type: 'relay' },
      { asn: 13335, network_type: 'cdn' },
    ]);
  });
});

describe('counts', () => {
  it('tell of duplicates, old events, events without address and bad records, each once', async () => {
    const old = event('old', new Date(TRAFFIC_NOW.getTime() - 400 * DAY_MS - 1).toISOString());
    const edge = event('edge', new Date(TRAFFIC_NOW.getTime() - 400 * DAY_MS).toISOString());
    const batch = [old, edge, event('a', '2025-07-01T10:00:00Z', { ip: 'nowhere' }), edge, { event_id: 'bad' }];
    expect(await take(...batch)).toEqual({ events: 2, duplicates: 1, tooOld: 1, withoutAddress: 1, bad: 1 });
    expect(await take(...batch)).toEqual({ events: 0, duplicates: 4, tooOld: 0, withoutAddress: 0, bad: 1 });
    expect(await rows('duplicates::int, too_old::int, skipped_no_ip::int', 'ingest_count')).toEqual([
      { duplicates: 5, too_old: 1, skipped_no_ip: 1 },
    ]);
    expect(await rows('net, events', 'ivt_session', 'net')).toEqual([
      { net: '', events: 1 },
      { net: '8.8.8.0/24', events: 1 },
    ]);
  });

  it('tell what of the gateway is done, each message once', async () => {
    const ingest = new TrafficIngest(dataSource, networks, 400);
    const records = [event('a', '2025-07-01T10:00:00Z'), { event_id: 'bad' }];
    const message = { id: uuidv7(), source: '/tallyport/gateway', records };
    await ingest.ingest(assetId, [message, { ...message, id: 'a replay' }], TRAFFIC_NOW);
    await ingest.ingest(assetId, [message], TRAFFIC_NOW);
    expect(await rows('topic, records::int, newest_event_time', 'processed')).toEqual([
      { topic: 'events.collected.v1', records: 2, newest_event_time: new Date('2025-07-01T10:00:00Z') },
    ]);
  });
});

describe('two writers', () => {
  it('with the same events at once count each once', async () => {
    const events = Array.from({ length: 400 }, (_, number) =>
      event(`e-${number}`, new Date(Date.parse('2025-07-01T00:00:00Z') + number * 97_000).toISOString(), {
        distinct_id: `v-${number % 9}`,
        global_user_id: `u-${number % 5}`,
        event_type: number % 4 === 0 ? 'conversion' : 'page_view',
      }),
    );
    const pieces = Array.from({ length: 10 }, (_, number) => events.slice(number * 40, number * 40 + 40));
    await Promise.all([
      trafficWriter(dataSource, networks, assetId, pieces),
      trafficWriter(dataSource, networks, assetId, [...pieces].reverse()),
    ]);
    expect(await storedSessions(dataSource, networks, assetId)).toEqual(expectedSessions(events, 'Europe/Berlin'));
    expect(await rows('duplicates::int', 'ingest_count')).toEqual([{ duplicates: 400 }]);
  });
});

describe('what is to be scored', () => {
  it('waits since its first change, and not for the hour of an open day', async () => {
    await take(event('a', '2025-07-01T10:00:00Z'));
    const state = () => rows<{ since: Date; waiting_since: Date; not_before: unknown }>('*', 'dirty');
    const [first] = await state();
    await take(event('b', '2025-07-01T12:00:00Z'));
    const [second] = await state();
    expect(second?.waiting_since).toEqual(first?.waiting_since);
    expect(second?.since.getTime()).toBeGreaterThan(first?.since.getTime() ?? Infinity);
    await dataSource.query(`UPDATE integrity.dirty SET not_before = '2099-01-01' WHERE asset_id = $1`, [assetId]);
    await take(event('c', '2025-07-01T14:00:00Z'));
    const [third] = await state();
    expect(third?.waiting_since).toEqual(third?.since);
    expect(third?.not_before).toBe(-Infinity);
  });

  it('has the sessions after a conversion of which nothing was known', async () => {
    const user = { global_user_id: 'u' };
    await take(event('before', '2025-06-30T10:00:00Z', user), event('after', '2025-07-03T10:00:00Z', user));
    await take(event('again', '2025-07-05T10:00:00Z', { ...user, event_type: 'conversion' }));
    await dataSource.query('DELETE FROM integrity.dirty WHERE asset_id = $1', [assetId]);
    await take(event('late', '2025-07-01T10:00:00Z', { ...user, event_type: 'conversion', distinct_id: 'w' }));
    expect((await dirtyDays()).map(({ day }) => day)).toEqual(['2025-07-01', '2025-07-03', '2025-07-05']);
    const sessions = await storedSessions(dataSource, networks, assetId);
    expect(sessions.map(({ convertedBefore }) => convertedBefore)).toEqual([false, false, true, true]);
  });
});

describe('loaded sessions', () => {
  it('say whether their clicks cost money, by mapping and costs', async () => {
    const channels = ['Carrier Pigeon', 'Town Crier', 'Google Ads', 'Smoke', 'Organic Search', undefined];
    await take(
      ...channels.map((lt_channel, number) => event(`e-${number}`, `2025-07-01T1${number}:00:00Z`, { lt_channel })),
    );
    await dataSource.query(
      `INSERT INTO imports.channel_mapping (asset_id, name, family) VALUES ($1, 'Carrier pigeon', 'direct_mail')`,
      [assetId],
    );
    await dataSource.query(
      `INSERT INTO integrity.cost_day (asset_id, channel, day, currency, spend, import_id)
       VALUES ($1, 'town_crier', '2025-07-01', 'EUR', 5, $2)`,
      [assetId, randomUUID()],
    );
    const query: Query = (sql, parameters) => dataSource.query(sql, parameters);
    const context = await trafficContext(query, assetId, networks);
    const day = Date.parse('2025-07-01') / DAY_MS;
    const sessions = await loadTraffic(query, assetId, day, day, context);
    expect(sessions.map(({ channel, standing }) => [channel, standing])).toEqual([
      ['Carrier Pigeon', 'paid'],
      ['Town Crier', 'paid'],
      ['google_ads', 'paid'],
      ['Smoke', 'unmatched'],
      ['organic_search', 'unpaid'],
      ['', 'unpaid'],
    ]);
    expect(sessions[0]).toMatchObject({ asn: 15169, asnOrg: networks.organisationOf(15169) });
    expect(await loadTraffic(query, assetId, day + 1, day + 9, context)).toEqual([]);
  });
});

describe('retention', () => {
  it('deletes what is older and nothing else', async () => {
    const times = ['2025-02-01T12:00:00Z', '2025-11-28T12:00:00Z', '2025-11-29T12:00:00Z', '2026-02-01T12:00:00Z'];
    await take(...times.map((time, number) => event(`e-${number}`, time)));
    await dataSource.query(
      `INSERT INTO integrity.ivt_entity (asset_id, entity_id, type, key, salt, first_seen, last_seen)
       SELECT $1, type || last_seen, type, '8.8.8.8', '', last_seen, last_seen
         FROM unnest('{host,network}'::text[]) AS t (type), unnest('{2025-11-30,2025-12-01}'::date[]) AS d (last_seen)`,
      [assetId],
    );
    // 90 days before are 2025-12-01; sessions and events stay two days longer.
    expect(await forgetSessions(dataSource, 90, TRAFFIC_NOW)).toBeGreaterThanOrEqual(2);
    expect(await forgetSeenEvents(dataSource, 90, TRAFFIC_NOW)).toBeGreaterThanOrEqual(2);
    expect(await forgetHosts(dataSource, 90, TRAFFIC_NOW)).toBe(1);
    expect(await rows('day::text', 'ivt_session')).toEqual([{ day: '2025-11-29' }, { day: '2026-02-01' }]);
    expect(await rows('day::text', 'seen_event')).toEqual([{ day: '2025-11-29' }, { day: '2026-02-01' }]);
    expect(await rows('entity_id', 'ivt_entity')).toEqual([
      { entity_id: 'host2025-12-01' },
      { entity_id: 'network2025-11-30' },
      { entity_id: 'network2025-12-01' },
    ]);
  });
});

describe('completed cost imports', () => {
  it('are noted once, however often they are told', async () => {
    const consumer = new CostImportsConsumer(dataSource);
    const completed = { asset_id: assetId, import_id: randomUUID() } as CostImportCompleted;
    await consumer.completed(completed);
    await consumer.completed(completed);
    expect(await rows('import_id', 'cost_pending')).toEqual([{ import_id: completed.import_id }]);
  });
});
