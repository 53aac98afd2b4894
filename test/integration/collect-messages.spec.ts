import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Envelope } from '#contracts/envelope.js';
import { collectedKey, visitorBucket } from '#contracts/collect/visitor-bucket.js';
import { EventBus, type OutgoingMessage } from '#messaging/event-bus.js';
import { DependencyAwayError } from '#runtime/dependency-away.js';
import { until } from '../fixtures/cost-import-client.js';
import { anEvent, COLLECT_PATH, collected, countedRecords, ndjson, post } from '../fixtures/collect-client.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

type Message = Envelope<{ asset_id: string; records: Record<string, unknown>[] }>;

let service: TestService;
let asset: TestAsset;
let bus: EventBus & { durable: boolean };
const asItWas: { publish?: EventBus['publish'] } = {};

beforeAll(async () => {
  service = await startService();
  bus = service.app.get(EventBus);
});

beforeEach(async () => {
  asset = await service.newAsset();
  asItWas.publish = bus.publish.bind(bus);
});

afterEach(() => {
  Object.assign(bus, { durable: false, ...asItWas });
});

afterAll(async () => {
  await service.stop();
});

/** From now on what is published of the asset goes there; what the sweeper still finds of others is done. */
function publishTo(publish: EventBus['publish'], durable: boolean): void {
  const { assetId } = asset;
  Object.assign(bus, {
    publish: async (messages: OutgoingMessage[]) => {
      const own = messages.filter(({ key }) => key.startsWith(assetId));
      if (own.length > 0) await publish(own);
    },
    durable,
  });
}

/** Messages of the asset that wait in the outbox. */
async function waiting(): Promise<OutgoingMessage[]> {
  return service.dataSource.query(
    `SELECT topic, key, payload #>> '{}' AS value, headers FROM access.outbox
      WHERE key LIKE $1 AND published_at IS NULL ORDER BY created_at, id`,
    [`${asset.assetId}:%`],
  );
}

function recordsOf({ value }: OutgoingMessage): Record<string, unknown>[] {
  return (JSON.parse(value) as Message).data.records;
}

const keyOf = (id: string): string => collectedKey(asset.assetId, visitorBucket(id));

const away = (): Promise<void> => Promise.reject(new DependencyAwayError('the broker is away'));

describe('in the embedded mode', () => {
  it('what is accepted is committed before the answer, and counted with it', async () => {
    publishTo(away, false);
    expect(await collected(service, asset, ndjson([anEvent(), anEvent()]))).toMatchObject({ accepted: 2 });
    const [message, ...others] = await waiting();
    expect(others).toEqual([]);
    expect(recordsOf(message!)).toHaveLength(2);
    expect(await countedRecords(service, asset)).toEqual({ 'events.collected.v1': 2 });
  });

  it('nothing stays in the outbox when it is published', async () => {
    await collected(service, asset, ndjson([anEvent({ distinct_id: 'a' }), anEvent({ distinct_id: 'b' })]));
    const rows = (): Promise<unknown[]> =>
      service.dataSource.query('SELECT 1 FROM access.outbox WHERE key LIKE $1', [`${asset.assetId}:%`]);
    expect(await until(rows, (left) => left.length === 0)).toEqual([]);
  });

  it('what is refused as a whole leaves nothing', async () => {
    publishTo(away, false);
    expect((await post(service, asset, '\n\n')).status).toBe(400);
    expect(await waiting()).toEqual([]);
    expect(await countedRecords(service, asset)).toEqual({});
  });
});

describe('a message', () => {
  it('is an envelope of the gateway with the records of one bucket in the order of their lines', async () => {
    publishTo(away, false);
    const visitors = Array.from({ length: 100 }, (_, index) => `visitor-${index % 40}`);
    const events = visitors.map((distinct_id) => anEvent({ distinct_id }));
    await collected(service, asset, ndjson(events));
    const messages = await waiting();
    expect(messages).toHaveLength(new Set(visitors.map(visitorBucket)).size);
    for (const message of messages) {
      const { specversion, source, type, subject, data } = JSON.parse(message.value) as Message;
      expect({ specversion, source, type, subject, asset: data.asset_id, topic: message.topic }).toEqual({
        specversion: '1.0',
        source: '/tallyport/gateway',
        type: 'events.collected.v1',
        subject: asset.assetId,
        asset: asset.assetId,
        topic: 'events.collected.v1',
      });
      const sent = events.filter((event) => keyOf((event as { distinct_id: string }).distinct_id) === message.key);
      expect(data.records).toEqual(sent);
    }
  });

  it('holds the known fields alone, in their normal form', async () => {
    publishTo(away, false);
    const event = anEvent({
      currency: 'eur',
      value: -12.5,
      ip: 'x',
      geo_city: '',
      lt_source: null,
      more: { a: 1 },
      time_us: 3,
    });
    await collected(service, asset, ndjson([event]));
    const { event_id, event_time, event_type, distinct_id } = event as Record<string, string>;
    expect(recordsOf((await waiting())[0]!)).toEqual([
      { event_id, event_time, event_type, distinct_id, value: '-12.5', currency: 'EUR' },
    ]);
  });

  it('is keyed by the visitor, else by the id of the decision; of identities by the person', async () => {
    publishTo(away, false);
    const consent = { consent_id: 'c-1', consent_at: '2026-01-05T08:00:00Z', action: 'accept' };
    await collected(service, asset, ndjson([consent]), { path: `${COLLECT_PATH}/consent` });
    await collected(service, asset, ndjson([{ ...consent, distinct_id: 'visitor-2' }]), {
      path: `${COLLECT_PATH}/consent`,
    });
    await collected(service, asset, ndjson([{ global_user_id: 'u-1' }]), { path: `${COLLECT_PATH}/identities` });
    await collected(service, asset, ndjson([{ global_user_id: 'u-1', distinct_ids: ['visitor-2', 'visitor-3'] }]), {
      path: `${COLLECT_PATH}/identities`,
    });
    const keys = (await waiting()).map(({ topic, key }) => ({ topic, key }));
    const [consents, people] = ['consent.recorded.v1', 'users.identified.v1'];
    expect(keys).toEqual([
      { topic: consents, key: keyOf('c-1') },
      { topic: consents, key: keyOf('visitor-2') },
      { topic: people, key: keyOf('u-1') },
      { topic: people, key: keyOf('u-1') },
    ]);
  });

  it('has the records of a person in the order of their lines, whatever device they come from', async () => {
    publishTo(away, false);
    const of = (device: number): object => ({
      global_user_id: 'u-1',
      distinct_ids: [`visitor-${device % 40}`],
      email: `${device}@example.com`,
    });
    const sent = Array.from({ length: 100 }, (_, device) => of(device));
    await collected(service, asset, ndjson(sent), { path: `${COLLECT_PATH}/identities` });
    expect((await waiting()).flatMap(recordsOf)).toEqual(sent);
  });

  it.each([
    ['events', 'event_id', (id: string) => anEvent({ event_id: id })],
    ['consent', 'consent_id', (id: string) => ({ consent_id: id, consent_at: '2026-01-05T08:00:00Z', action: 'x' })],
  ] as const)('has the first of doubled %s before the second, whoever they name', async (kind, key, record) => {
    publishTo(away, false);
    const ids = Array.from({ length: 60 }, (_, index) => `id-${index}`);
    const lines = [1, 2].flatMap((time) =>
      ids.map((id, index) => ({ ...record(id), distinct_id: `visitor-${time}-${index}` })),
    );
    await collected(service, asset, ndjson(lines), { path: `${COLLECT_PATH}/${kind}` });
    const messages = (await waiting()).map(recordsOf);
    for (const [index, id] of ids.entries()) {
      const of = messages.map((records) =>
        records.filter((each) => each[key] === id).map((each) => each['distinct_id']),
      );
      expect(of.filter((found) => found.length > 0)).toEqual([[`visitor-1-${index}`, `visitor-2-${index}`]]);
    }
  });

  it('holds at most 500 records and stays under 500 KB', async () => {
    publishTo(away, false);
    const one = { distinct_id: 'visitor-1' };
    await collected(service, asset, ndjson(Array.from({ length: 1_100 }, () => anEvent(one))));
    expect((await waiting()).map((message) => recordsOf(message).length)).toEqual([500, 500, 100]);
    const large = { ...one, page_path: '\u0001'.repeat(2048), lt_campaign: '😀'.repeat(256) };
    const list = new Array<string>(128).fill('\u0001'.repeat(256));
    const consent = { consent_id: 'c', consent_at: '2026-01-05T08:00:00Z', action: 'a', distinct_id: 'visitor-1' };
    await collected(service, asset, ndjson(Array.from({ length: 400 }, () => anEvent(large))));
    await collected(
      service,
      asset,
      ndjson(
        Array.from({ length: 3 }, (_, id) => ({ ...consent, consent_id: String(id), accepted: list, rejected: list })),
      ),
      { path: `${COLLECT_PATH}/consent` },
    );
    const messages = await waiting();
    expect(messages.map(recordsOf).flat()).toHaveLength(1_503);
    for (const { value } of messages) expect(Buffer.byteLength(value)).toBeLessThan(500_000);
  });
});

describe('on Kafka', () => {
  it('messages go straight to the broker in sends it can take, and nothing is written before', async () => {
    const sends: OutgoingMessage[][] = [];
    publishTo((messages) => {
      sends.push(messages);
      return Promise.resolve();
    }, true);
    const events = Array.from({ length: 6_000 }, (_, index) =>
      anEvent({ distinct_id: `visitor-${index}`, page_path: '/'.repeat(300) }),
    );
    expect(await collected(service, asset, ndjson(events))).toMatchObject({ accepted: 6_000, rejected: 0 });
    expect(sends.flat().flatMap(recordsOf)).toHaveLength(6_000);
    expect(sends.length).toBeGreaterThan(3);
    for (const messages of sends)
      expect(messages.reduce((bytes, { value }) => bytes + Buffer.byteLength(value), 0)).toBeLessThan(500_000);
    expect(await waiting()).toEqual([]);
    expect(await countedRecords(service, asset)).toEqual({ 'events.collected.v1': 6_000 });
  });

  it('the answer waits for the broker', async () => {
    let acknowledge: () => void = () => undefined;
    publishTo(
      () =>
        new Promise<void>((resolve) => {
          acknowledge = resolve;
        }),
      true,
    );
    let answered = false;
    const answer = collected(service, asset, ndjson([anEvent()])).finally(() => (answered = true));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(answered).toBe(false);
    expect(await countedRecords(service, asset)).toEqual({});
    acknowledge();
    expect(await answer).toMatchObject({ accepted: 1 });
    expect(await countedRecords(service, asset)).toEqual({ 'events.collected.v1': 1 });
  });

  it('a broker that is away is 503 with Retry-After, and only what it has acknowledged counts', async () => {
    publishTo(away, true);
    const refused = await post(service, asset, ndjson([anEvent()]));
    expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await countedRecords(service, asset)).toEqual({});
    let taken = 0;
    publishTo((messages) => {
      if (taken > 0) return away();
      taken = messages.flatMap(recordsOf).length;
      return Promise.resolve();
    }, true);
    const many = Array.from({ length: 3_000 }, () => anEvent({ page_path: '/'.repeat(500) }));
    expect((await post(service, asset, ndjson(many))).status).toBe(503);
    expect(taken).toBeGreaterThan(0);
    expect(await countedRecords(service, asset)).toEqual({ 'events.collected.v1': taken });
  });

  it('a body without a good line asks nothing of the broker', async () => {
    publishTo(() => away(), true);
    expect((await post(service, asset, '\n')).status).toBe(400);
    expect(await collected(service, asset, '{}\n')).toMatchObject({ accepted: 0, rejected: 1 });
  });
});
