import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v5 as uuidv5 } from 'uuid';
import type { Topic } from '#contracts/topics.js';
import { DeadLetters } from '#messaging/dead-letters.js';
import { EventBus } from '#messaging/event-bus.js';
import { outgoingEvent } from '#messaging/outgoing.js';
import { metricsRegistry } from '#runtime/metrics.js';
import { startService, type TestService } from '../support/service.js';

let service: TestService;
let assetId: string;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  await service.stop();
});

beforeEach(async () => {
  ({ assetId } = await service.newAsset({ timezone: 'America/New_York' }));
});

interface Sending {
  asset?: string;
  source?: string;
  id?: string;
}

/** Resolves when every consumer is done with it. @returns the message's text, to send it again */
async function send(topic: Topic, records: unknown[], { asset = assetId, source, id }: Sending = {}): Promise<string> {
  const message = outgoingEvent('gateway', topic, asset, { asset_id: asset, records });
  const envelope = JSON.parse(message.value) as Record<string, unknown>;
  const value = JSON.stringify({ ...envelope, source: source ?? envelope['source'], id: id ?? envelope['id'] });
  await publish(topic, value);
  return value;
}

function publish(topic: Topic, value: string): Promise<void> {
  return service.app.get(EventBus).publish([{ topic, key: assetId, value }]);
}

function event(id: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    event_id: id,
    event_time: '2026-03-01T12:00:00Z',
    event_type: 'page_view',
    distinct_id: 'visitor',
    ...fields,
  };
}

function rows(table: string): Promise<Record<string, unknown>[]> {
  return service.dataSource.query(`SELECT * FROM reporting.${table} WHERE asset_id = $1`, [assetId]);
}

function processed(): Promise<Record<string, unknown>[]> {
  return service.dataSource.query(
    'SELECT topic, records::int, newest_event_time FROM reporting.processed WHERE asset_id = $1 ORDER BY topic',
    [assetId],
  );
}

async function deadLetters(topic: Topic): Promise<{ reason: string; code: string; value: { data: unknown } }[]> {
  const letters = await service.app.get(DeadLetters).list({ topic, limit: 1000 });
  return letters
    .filter(({ value }) => value.includes(assetId))
    .map(({ reason, code, value }) => ({ reason, code, value: JSON.parse(value) as { data: unknown } }));
}

describe('collected events', () => {
  it('beside those of an asset that there is not write the letter for a bad record once', async () => {
    const records = [event('e-1'), { ...event('e-2'), distinct_id: '' }];
    const good = outgoingEvent('gateway', 'events.collected.v1', assetId, { asset_id: assetId, records });
    const stranger = randomUUID();
    const bad = outgoingEvent('gateway', 'events.collected.v1', stranger, {
      asset_id: stranger,
      records: [event('e-3')],
    });
    await service.app.get(EventBus).publish([good, bad]);
    expect(await deadLetters('events.collected.v1')).toMatchObject([{ code: 'invalid_message' }]);
    expect(await rows('event')).toMatchObject([{ event_id: 'e-1' }]);
    const letters = await service.app.get(DeadLetters).list({ topic: 'events.collected.v1', limit: 1000 });
    expect(letters.filter(({ value }) => value.includes(stranger))).toMatchObject([{ code: 'unknown_asset' }]);
  });

  it('are kept as they were sent', async () => {
    const text = 'tab\t, line\n, return\r, \\N, \\., "quoted" and 😀';
    const sent = {
      event_time: '2026-03-01T07:00:00.1234567-05:00',
      event_type: '=type',
      event_name: text,
      global_user_id: '+49',
      ...{ page_host: '-', page_path: `${text}/=`, ft_channel: '@ft', ft_source: '＝' },
      ...{ lt_channel: 'Meta', lt_channel_type: '=not in the raw file', lt_source: '=nor this' },
      ...{ lt_medium: 'cpc', lt_campaign: text, ip: '2001:db8::1', geo_country: 'DE', geo_city: '\tBerlin' },
      ...{ ua_browser: 'Firefox', value: -12.5, currency: 'eur' },
    };
    await send('events.collected.v1', [event('one', sent)]);
    expect(await rows('event')).toEqual([
      {
        asset_id: assetId,
        event_id: 'one',
        distinct_id: 'visitor',
        ...sent,
        event_time: new Date('2026-03-01T12:00:00.123Z'),
        geo_region: null,
        ua_os: null,
        value: '-12.5',
        currency: 'EUR',
        formula_cells: 6,
      },
    ]);
    const [cut] = await service.dataSource.query<{ us: string }[]>(
      `SELECT to_char(event_time AT TIME ZONE 'UTC', 'US') AS us FROM reporting.event WHERE asset_id = $1`,
      [assetId],
    );
    expect(cut).toEqual({ us: '123456' });
  });

  it('keep an address empty that is none, and the metrics tell', async () => {
    await send('events.collected.v1', [event('one', { ip: 'localhost' }), event('one'), { event_id: 'bad' }]);
    expect(await rows('event')).toMatchObject([{ ip: null }]);
    const metrics = await metricsRegistry.metrics();
    expect(metrics).toMatch(/tallyport_ingested_ip_dropped_total [1-9]/);
    for (const result of ['stored', 'duplicate', 'refused'])
      expect(metrics).toMatch(new RegExp(`tallyport_ingested_events_total\\{result="${result}"\\} [1-9]`));
    expect(metrics).toMatch(
      /tallyport_ingest_batch_seconds_count\{service="reporting",topic="events.collected.v1"\} [1-9]/,
    );
  });

  it('of the same id in the same month change nothing, in another month they are others', async () => {
    await send('events.collected.v1', [event('one', { event_name: 'first' })]);
    await send('events.collected.v1', [
      event('one', { event_name: 'second', event_time: '2026-03-31T23:59:59.999999Z', distinct_id: 'another' }),
      event('two'),
      event('two', { event_name: 'second of its batch' }),
      event('one', { event_name: 'in April', event_time: '2026-04-01T00:00:00Z' }),
    ]);
    const names = (await rows('event')).map(({ event_id, event_name }) => [event_id, event_name]);
    expect(names.sort()).toEqual([
      ['one', 'first'],
      ['one', 'in April'],
      ['two', null],
    ]);
    expect(await rows('visitor')).toMatchObject([{ distinct_id: 'visitor' }]);
    const [all] = await service.dataSource.query<{ events: number }[]>(
      'SELECT sum(events)::int AS events FROM reporting.rollup_day WHERE asset_id = $1 AND kind = 0',
      [assetId],
    );
    expect(all).toEqual({ events: 3 });
  });

  it('that are bad go to the dead letters, and the others are taken', async () => {
    await send('events.collected.v1', [
      event('good'),
      event('', {}),
      event('late', { event_time: 'yesterday' }),
      event('later', { event_time: 'soon' }),
      'no object',
    ]);
    expect(await rows('event')).toMatchObject([{ event_id: 'good' }]);
    const [letter, ...others] = await deadLetters('events.collected.v1');
    expect(others).toEqual([]);
    expect(letter?.reason).toBe(
      '4 of 5 records: invalid_value event_time (2), missing_field event_id (1), invalid_json (1)',
    );
    expect(letter?.value.data).toMatchObject({ asset_id: assetId, records: [{ event_id: '' }, {}, {}, 'no object'] });
    expect(await processed()).toMatchObject([{ records: 5, newest_event_time: new Date('2026-03-01T12:00:00Z') }]);
  });

  it('of an asset that does not exist are a dead letter', async () => {
    assetId = '0193aaaa-0000-7000-8000-00000000dead';
    await send('events.collected.v1', [event('one')]);
    expect(await deadLetters('events.collected.v1')).toMatchObject([
      { code: 'unknown_asset', reason: `There is no asset ${assetId}.` },
    ]);
    expect(await rows('event')).toEqual([]);
    expect(await rows('dimension')).toEqual([]);
  });

  it('of several assets in one batch all arrive', async () => {
    const other = await service.newAsset();
    await Promise.all([
      send('events.collected.v1', [event('one')]),
      send('events.collected.v1', [event('one')], { asset: other.assetId }),
    ]);
    expect(await rows('event')).toHaveLength(1);
    assetId = other.assetId;
    expect(await rows('event')).toHaveLength(1);
  });

  it('make the partitions of their months, however many at once', async () => {
    const months = Array.from({ length: 30 }, (_, month) => new Date(Date.UTC(2020, month, 15)).toISOString());
    await Promise.all(
      months.map((event_time, number) => send('events.collected.v1', [event(`${number}`, { event_time })])),
    );
    expect(await rows('event')).toHaveLength(30);
  });
});

describe('what is processed', () => {
  it('counts the records of a message of the gateway once, however often it comes', async () => {
    const message = await send('events.collected.v1', [event('one'), event('two')]);
    await publish('events.collected.v1', message);
    await send('events.collected.v1', [event('one')]);
    expect(await processed()).toMatchObject([{ topic: 'events.collected.v1', records: 3 }]);
    expect(await rows('event')).toHaveLength(2);
  });

  it('does not count what collectors published themselves, nor a part of a message from the dead letters', async () => {
    await send('events.collected.v1', [event('one')], { source: '/collectors/server' });
    await send('events.collected.v1', [event('two')], { id: uuidv5('a part', uuidv5.URL) });
    expect(await rows('event')).toHaveLength(2);
    expect((await processed()).map(({ records }) => records)).toEqual([0]);
  });

  it('counts the records of a message that is given up as a whole, once also when it is taken later', async () => {
    const many = Array.from({ length: 501 }, (_, number) => event(String(number)));
    const message = await send('events.collected.v1', many);
    expect(await processed()).toMatchObject([{ records: 501 }]);
    expect(await rows('event')).toHaveLength(0);
    await publish('events.collected.v1', message.replace(/,\{"event_id":"500".*?\}/, ''));
    expect(await rows('event')).toHaveLength(500);
    expect(await processed()).toMatchObject([{ records: 501 }]);
  });
});

describe('consent', () => {
  const consent = {
    consent_id: 'c1',
    consent_at: '2026-03-01T12:00:00.1234567Z',
    action: 'accept',
    accepted: ['statistics', 'a "b", c'],
    rejected: [],
    mode: 'opt-in',
    revision: '3',
    config_version: 'v2',
    locale: 'de-DE',
    distinct_id: 'visitor',
    ip: '203.0.113.7',
  };

  it('is kept, its address only as HMAC with a key of the asset', async () => {
    await send('consent.recorded.v1', [consent, { ...consent, consent_id: 'c2', ip: 'none' }]);
    const [state] = await rows('asset_state');
    const key = state?.['ip_key'] as Buffer;
    expect(key).toHaveLength(32);
    const { ip, ...kept } = consent;
    const stored = await rows('consent');
    expect(stored).toEqual([
      {
        asset_id: assetId,
        ...kept,
        consent_at: new Date('2026-03-01T12:00:00.123Z'),
        ip_hmac: createHmac('sha256', key).update(ip).digest(),
      },
      expect.objectContaining({ consent_id: 'c2', ip_hmac: null }),
    ]);
    await send('consent.recorded.v1', [{ ...consent, consent_id: 'c3' }]);
    expect((await rows('consent')).find(({ consent_id }) => consent_id === 'c3')?.['ip_hmac']).toEqual(
      stored[0]?.['ip_hmac'],
    );
  });

  it('of the same id changes nothing; bad records are dead letters; all count as processed', async () => {
    await send('consent.recorded.v1', [consent, { ...consent, action: 'reject' }, { consent_id: 'bad' }]);
    await send('consent.recorded.v1', [{ ...consent, action: 'withdraw' }]);
    expect(await rows('consent')).toMatchObject([{ consent_id: 'c1', action: 'accept' }]);
    expect(await deadLetters('consent.recorded.v1')).toMatchObject([{ value: { data: { records: [{}] } } }]);
    expect(await processed()).toMatchObject([{ topic: 'consent.recorded.v1', records: 4 }]);
  });
});

describe('identities', () => {
  it('update what they name, and leave the rest', async () => {
    await send('users.identified.v1', [
      { global_user_id: 'ann', distinct_ids: ['visitor'], email: 'ann@example.com', phone: '+49 1' },
      { global_user_id: 'ann', crm_client_id: '7', email: 'a@example.com', identified_at: '2026-02-01T00:00:00Z' },
    ]);
    await send('users.identified.v1', [{ global_user_id: 'ann', phone: '+49 2' }, { email: 'nobody' }]);
    expect(await rows('person')).toMatchObject([
      {
        global_user_id: 'ann',
        email: 'a@example.com',
        phone: '+49 2',
        crm_client_id: '7',
        first_seen_at: null,
        identified_at: new Date('2026-02-01T00:00:00Z'),
        identified: true,
      },
    ]);
    expect(await deadLetters('users.identified.v1')).toHaveLength(1);
    expect(await processed()).toMatchObject([{ topic: 'users.identified.v1', records: 4 }]);
  });

  it('make two visitors one user, also of the days before', async () => {
    await send('events.collected.v1', [event('one'), event('two', { distinct_id: 'phone' })]);
    expect(await usersOfTheDay()).toBe(2);
    await send('users.identified.v1', [{ global_user_id: 'ann', distinct_ids: ['visitor', 'phone'] }]);
    expect(await usersOfTheDay()).toBe(1);
  });

  async function usersOfTheDay(): Promise<number | undefined> {
    const [row] = await service.dataSource.query<{ users: number }[]>(
      `SELECT sum(users)::int AS users FROM reporting.user_gap WHERE asset_id = $1 AND kind = 0 AND day = '2026-03-01'`,
      [assetId],
    );
    return row?.users;
  }
});
