import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CompressionTypes, ConfigResourceTypes } from 'kafkajs';
import { loadConfig } from '#runtime/config.js';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { UnsendableMessageError } from '#messaging/errors.js';
import { MessagingConfig } from '#messaging/messaging.config.js';
import { ensureTopics } from '#messaging/topics.ensure.js';
import { eventually } from '../../libs/messaging/testing/kafka-app.js';
import { eventOf, HOUR_MS, OnKafka, uniqueTopic } from '../../libs/messaging/testing/on-kafka.js';
import { stack } from './support.js';

const kafka = new OnKafka(loadConfig(MessagingConfig, { ...stack.env }));

afterEach(async () => {
  await kafka.stop();
});

describe('what we use of kafkajs, on this broker', () => {
  it('produces with gzip, idempotently and in transactions, and reads it all back in order', async () => {
    const topic = await kafka.newTopic();
    const client = kafka.clients.create();
    const gzip = client.producer();
    await gzip.connect();
    await gzip.send({ topic, messages: [{ value: 'gzip' }], compression: CompressionTypes.GZIP });
    await gzip.disconnect();
    await kafka.produce(topic, [{ value: 'idempotent' }], { idempotent: true });
    const transactional = client.producer({ transactionalId: randomUUID(), idempotent: true, maxInFlightRequests: 1 });
    await transactional.connect();
    const transaction = await transactional.transaction();
    await transaction.send({ topic, messages: [{ value: 'transaction' }] });
    await transaction.commit();
    await transactional.disconnect();
    await kafka.produce(topic, [{ value: 'last', key: Buffer.from([0, 1]), headers: { a: 'b' } }]);
    // The end of a transaction is written after commit() returned.
    const messages = await eventually(
      () => kafka.contents(topic),
      ({ length }) => length === 4,
    );
    expect(messages.map(({ value }) => String(value))).toEqual(['gzip', 'idempotent', 'transaction', 'last']);
    expect(messages.at(-1)).toMatchObject({ key: Buffer.from([0, 1]), headers: { a: Buffer.from('b') } });
  });

  it('reads a topic that ends with the end of a transaction', async () => {
    const topic = await kafka.newTopic();
    const producer = kafka.clients
      .create()
      .producer({ transactionalId: randomUUID(), idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    const transaction = await producer.transaction();
    await transaction.send({ topic, messages: [{ value: 'only' }] });
    await transaction.commit();
    await producer.disconnect();
    await eventually(
      () => kafka.contents(topic),
      ({ length }) => length === 1,
    );
  });

  it('reads an empty topic, and leaves no group behind', async () => {
    const topic = await kafka.newTopic();
    expect(await kafka.contents(topic)).toEqual([]);
    await kafka.produce(topic, [{ value: 'x' }]);
    expect(await kafka.contents(topic)).toHaveLength(1);
    const { groups } = await kafka.admin((client) => client.listGroups());
    expect(groups.filter(({ groupId }) => groupId.startsWith('tallyport-dlq-read-'))).toEqual([]);
  });
});

describe('ensureTopics', () => {
  it('creates a topic and its dead-letter topic with explicit settings, once', async () => {
    const topic = uniqueTopic();
    const topics = { [topic]: { partitions: 3, retentionMs: HOUR_MS } };
    const names = [topic, `${topic}.dlq`];
    expect(await ensureTopics(kafka.config, topics)).toEqual({ created: names, existing: [], extended: [], drift: [] });
    expect(await ensureTopics(kafka.config, topics)).toEqual({ created: [], existing: names, extended: [], drift: [] });
    const described = await kafka.admin((client) => client.fetchTopicMetadata({ topics: names }));
    const partitions = Object.fromEntries(described.topics.map(({ name, partitions: { length } }) => [name, length]));
    expect(partitions).toEqual({ [topic]: 3, [`${topic}.dlq`]: 1 });
    const { resources } = await kafka.admin((client) =>
      client.describeConfigs({
        includeSynonyms: false,
        resources: names.map((name) => ({ type: ConfigResourceTypes.TOPIC, name })),
      }),
    );
    const settings = resources.map(({ configEntries }) =>
      Object.fromEntries(configEntries.map(({ configName, configValue }) => [configName, configValue])),
    );
    const common = { 'min.insync.replicas': '1', 'compression.type': 'producer', 'cleanup.policy': 'delete' };
    expect(settings[0]).toMatchObject({ ...common, 'retention.ms': String(HOUR_MS) });
    expect(settings[1]).toMatchObject({
      ...common,
      'retention.ms': String(30 * 24 * HOUR_MS),
      'max.message.bytes': '2097152',
    });
  });

  it('can run twice at once', async () => {
    const topics = { [uniqueTopic()]: { partitions: 1, retentionMs: HOUR_MS } };
    const runs = await Promise.all([ensureTopics(kafka.config, topics), ensureTopics(kafka.config, topics)]);
    expect(runs.flatMap(({ created }) => created).length).toBeGreaterThanOrEqual(2);
  });

  it('adds missing partitions, and reports surplus ones', async () => {
    const topic = await kafka.newTopic(2);
    const grown = await ensureTopics(kafka.config, { [topic]: { partitions: 4, retentionMs: HOUR_MS } });
    expect(grown).toMatchObject({ extended: [topic], drift: [] });
    const shrunk = await ensureTopics(kafka.config, { [topic]: { partitions: 3, retentionMs: HOUR_MS } });
    expect(shrunk).toMatchObject({ extended: [], drift: [`${topic} has 4 partitions instead of 3`] });
  });
});

describe('publishing', () => {
  it('names a message that the broker refuses for ever, and splits many large ones', async () => {
    const topic = await kafka.newTopic();
    const { bus } = await kafka.start(topic);
    const large = (bytes: number) => ({ topic, key: 'k', value: 'x'.repeat(bytes) });
    await expect(bus.publish([large(1_200_000)])).rejects.toThrow(UnsendableMessageError);
    await bus.publish(Array.from({ length: 8 }, () => large(300_000)));
    expect(await kafka.contents(topic)).toHaveLength(8);
  });

  it('takes a topic that does not exist for a dependency that is away, and does not create it', async () => {
    const topic = uniqueTopic();
    const failure: unknown = await kafka.publish(eventOf(topic, '1')).catch((error: unknown) => error);
    expect(isDependencyAway(failure)).toBe(true);
    expect(await kafka.admin((client) => client.listTopics())).not.toContain(topic);
  });
});

describe('dead letters on Kafka', () => {
  it('are replayed up to one that can not be sent; those before it are not sent again', async () => {
    const topic = await kafka.newTopic();
    const { letters } = await kafka.start(topic);
    await kafka.produce(`${topic}.dlq`, [
      { key: 'k', value: eventOf(topic, '1').value },
      { key: 'k', value: 'x'.repeat(1_500_000) },
      { key: 'k', value: eventOf(topic, '3').value },
    ]);
    await expect(letters.replay({ topic })).rejects.toThrow(UnsendableMessageError);
    expect((await letters.list({ topic, limit: 10 })).map(({ id }) => id).sort()).toEqual([
      `${topic}.dlq/0/1`,
      `${topic}.dlq/0/2`,
    ]);
    expect(await letters.replay({ topic, ids: [`${topic}.dlq/0/2`] })).toBe(1);
  });

  it('are listed, replayed once, and again only by id', async () => {
    const topic = await kafka.newTopic(2);
    let working = false;
    const { prices, letters } = await kafka.start(topic, () => {
      if (!working) throw new Error('a bug');
    });
    await kafka.publish(eventOf(topic, '1'), eventOf(topic, '2'));
    const listed = await eventually(
      () => letters.list({ topic, limit: 10 }),
      ({ length }) => length === 2,
    );
    expect(listed[0]).toMatchObject({ topic, code: 'handler_failed', reason: 'a bug', id: `${topic}.dlq/0/1` });
    expect(await letters.list({ topic, limit: 1 })).toHaveLength(1);
    working = true;
    const failed = prices().length;
    const replayed = () => prices().slice(failed);
    expect(await letters.replay({ topic, ids: [`${topic}.dlq/0/0`] })).toBe(1);
    expect(await letters.list({ topic, limit: 10 })).toHaveLength(1);
    expect(await letters.replay({ topic })).toBe(1);
    expect(await letters.replay({ topic })).toBe(0);
    await eventually(replayed, ({ length }) => length === 2);
    expect(replayed().sort()).toEqual(['1', '2']);
    expect(await letters.replay({ topic, ids: [`${topic}.dlq/0/1`] })).toBe(1);
    await eventually(replayed, ({ length }) => length === 3);
    await expect(letters.replay({ topic, ids: ['x/0/0'] })).rejects.toThrow('No such dead letter: x/0/0.');
    const again = (await kafka.contents(topic)).at(-1);
    expect(Object.keys(again?.headers ?? {})).toEqual([]);
  });
});
