import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Admin } from 'kafkajs';
import { run } from '#apps/cli/src/run.js';
import { envelope } from '#contracts/envelope.js';
import { EventsCollected } from '#contracts/events/events-collected.js';
import { deadLetterTopic } from '#contracts/topics.js';
import type { DeadLetterItem } from '#messaging/dead-letters.js';
import type { TestAsset } from '../support/service.js';
import { eventStream } from './events-data.js';
import { until } from './phases.js';
import { Services, type ServiceProcess } from './processes.js';
import { expectNumbers, statusOf } from './reporting-client.js';
import { stack } from './support.js';

const { topic } = EventsCollected;
const STREAM = eventStream({ events: 600, seed: 3 });
const PARTITIONS = 12;

/** A group without members goes on with what comes from now on. */
async function startAtEnd(client: Admin, of: string, groupId: string): Promise<true> {
  const ends = await client.fetchTopicOffsets(of);
  const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
  await client.setOffsets({ groupId, topic: of, partitions });
  return true;
}

/** A topic that was made this instant has no leaders yet. */
function isNew(error: unknown): false {
  if (!String(error).includes('not the leader')) throw error;
  return false;
}

describe('messages on the topic of events', () => {
  let services: Services;
  let gateway: ServiceProcess;
  let reporting: ServiceProcess;
  let asset: TestAsset;

  beforeAll(async () => {
    services = await Services.on(stack.env);
    gateway = await services.start('gateway');
    // Thousands of events that other specs left would become letters here: their assets are unknown to this database.
    const skipWhatIsThere = (client: Admin) => startAtEnd(client, topic, 'reporting-batches');
    await until(
      () => services.broker.admin(skipWhatIsThere).catch(isNew),
      (isDone) => isDone,
      30_000,
      250,
    );
    reporting = await services.start('reporting');
    await Promise.all([gateway.untilReady(), reporting.untilReady()]);
  }, 180_000);

  afterAll(async () => {
    await services.stop();
  });

  const message = (data: unknown, assetId = asset.assetId): string =>
    JSON.stringify(envelope(topic, 'collector', assetId, data));
  const ofAsset = (records: unknown): string => message({ asset_id: asset.assetId, records });

  const stored = async () => {
    const [row] = await services.dataSource.query<{ events: number }[]>(
      'SELECT count(*)::int AS events FROM reporting.event WHERE asset_id = $1',
      [asset.assetId],
    );
    return row?.events;
  };

  async function lettersSince(before: Set<string>): Promise<DeadLetterItem[]> {
    const { code, stdout, stderr } = await run(['dlq', 'list', '--topic', topic, '--limit', '1000', '--json'], {
      ...services.env,
    });
    expect([code, stderr]).toEqual([0, '']);
    return (JSON.parse(stdout) as DeadLetterItem[]).filter(({ id }) => !before.has(id));
  }

  it('that nobody can read become dead letters with their reason; the good ones around them are stored', async () => {
    asset = await services.newAsset();
    const before = new Set((await lettersSince(new Set())).map(({ id }) => id));
    const foreign = randomUUID();
    const bad = { event_id: 'bad', event_time: '2026-07-01T00:00:00Z', event_type: 'page_view' };
    const poison: [value: string, code: string, reason: RegExp][] = [
      [`no JSON ${asset.assetId}`, 'invalid_message', /not JSON/],
      [
        JSON.stringify({ asset_id: asset.assetId, records: STREAM.events.slice(0, 1) }),
        'invalid_message',
        /specversion/,
      ],
      [message({ asset_id: foreign, records: STREAM.events.slice(0, 2) }, foreign), 'unknown_asset', /no asset/],
      [message({ asset_id: 'mine', records: [] }), 'invalid_message', /asset_id/],
      [ofAsset({ 0: STREAM.events[0] }), 'invalid_message', /records must be an array/],
      [ofAsset(Array.from({ length: 501 }, () => STREAM.events[0])), 'invalid_message', /500/],
    ];
    const good = [0, 1, 2].map((part) => STREAM.sent.slice(part * 300, (part + 1) * 300));
    expect(good.flat()).toHaveLength(STREAM.sent.length);
    const [first = [], second = [], last = []] = good;
    const mixed = [
      ...second.slice(0, 100),
      bad,
      { ...bad, distinct_id: 'd', event_time: 'soon' },
      7,
      ...second.slice(100),
    ];
    const values = [ofAsset(first), ...poison.map(([value]) => value), ofAsset(mixed), ofAsset(last)];
    await services.broker.produce(
      topic,
      values.map((value) => ({ key: 'k', partition: 7, value })),
    );

    await until(stored, (events) => events === STREAM.events.length, 60_000, 100);
    await expectNumbers(services, gateway, asset, STREAM);
    const letters = await until(
      async () => [...new Map((await lettersSince(before)).map((letter) => [letter.value, letter])).values()],
      ({ length }) => length > poison.length,
      30_000,
      250,
    );
    expect(letters).toHaveLength(poison.length + 1);
    for (const [value, code, reason] of poison) {
      const letter = letters.find((one) => one.value === value);
      expect(letter).toMatchObject({ topic, code, consumer: 'reporting', key: 'k' });
      expect(letter?.reason).toMatch(reason);
    }
    const part = letters.find(({ value }) => !poison.some(([known]) => known === value));
    expect(part).toMatchObject({ topic, code: 'invalid_message', consumer: 'reporting', key: 'k' });
    expect(part?.reason).toBe(
      '3 of 303 records: missing_field distinct_id (1), invalid_value event_time (1), invalid_json (1)',
    );
    const { data } = JSON.parse(part?.value ?? '') as { data: unknown };
    expect(data).toEqual({
      asset_id: asset.assetId,
      records: [bad, expect.objectContaining({ event_time: 'soon' }), 7],
    });
    // A batch that fails for another message comes again, and so may this letter: under the same id, which counts once.
    const headers = (await services.broker.contents(deadLetterTopic(topic)))
      .filter(({ value }) => String(value) === part?.value)
      .map((letter) => [String(letter.headers?.['x-error-count']), String(letter.headers?.['x-origin-partition'])]);
    expect(headers).toEqual(headers.map(() => ['3', '7']));
    expect(headers.length).toBeGreaterThan(0);
    expect(await statusOf(gateway, asset)).toMatchObject({ accepted: 0, processed: 0, pending: 0 });
    await Promise.all([gateway.untilReady(1_000), reporting.untilReady(1_000)]);
  });

  it('of every partition are taken behind a message that nobody can read', async () => {
    asset = await services.newAsset();
    const before = new Set((await lettersSince(new Set())).map(({ id }) => id));
    const each = Array.from({ length: PARTITIONS }, (_, partition) => partition);
    const share = Math.ceil(STREAM.sent.length / PARTITIONS);
    await services.broker.produce(
      topic,
      each.flatMap((partition) => [
        { partition, value: `{"poison": ${partition}` },
        { partition, value: ofAsset(STREAM.sent.slice(partition * share, (partition + 1) * share)) },
      ]),
    );
    await until(stored, (events) => events === STREAM.events.length, 60_000, 100);
    await expectNumbers(services, gateway, asset, STREAM);
    expect((await lettersSince(before)).map(({ value }) => value).sort()).toEqual(
      each.map((partition) => `{"poison": ${partition}`).sort(),
    );
  });
});
