import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { loadConfig } from '#runtime/config.js';
import { DependencyAwayError } from '#runtime/dependency-away.js';
import { consumerLag } from '#messaging/kafka/consumer-lag.js';
import { MessagingConfig } from '#messaging/messaging.config.js';
import {
  BatchRecorder,
  pricesCollected,
  recordsOf,
  type PricesMessage,
  type TakeBatch,
} from '../../libs/messaging/testing/batch-fixtures.js';
import { eventually } from '../../libs/messaging/testing/kafka-app.js';
import { OnKafka } from '../../libs/messaging/testing/on-kafka.js';
import { stack } from './support.js';

const kafka = new OnKafka(loadConfig(MessagingConfig, { ...stack.env }));

afterEach(async () => {
  jest.restoreAllMocks();
  await kafka.stop();
});

/** Messages of one record each, spread over the partitions by their keys. */
const some = (topic: string, count: number, first = 0) =>
  Array.from({ length: count }, (_, n) => ({
    topic,
    ...pricesCollected([first + n], topic),
    key: `key-${first + n}`,
  }));
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const sorted = (calls: unknown[][]) => (calls.flat() as number[]).sort((a, b) => a - b);
const taken = (recorder: BatchRecorder) => recorder.calls.flat().length;
const partitionOf = (messages: readonly PricesMessage[]) => messages[0]?.received.partition;

/** A consumer that notes how many batches it handles at a time, and fails when two are of one partition. */
function slowly(topic: string, ms: number) {
  const running = new Set<number | undefined>();
  const seen = { most: 0, overlaps: 0 };
  const react: TakeBatch = async (messages) => {
    const partition = partitionOf(messages);
    if (running.has(partition)) seen.overlaps += 1;
    running.add(partition);
    seen.most = Math.max(seen.most, running.size);
    await sleep(ms);
    running.delete(partition);
  };
  return { recorder: new BatchRecorder(topic, react), seen };
}

async function lagOf(groupId: string, topic: string): Promise<number | undefined> {
  return kafka.admin(async (client) => (await consumerLag(client, `${groupId}-batches`, [topic]))[topic]);
}

describe('a batch consumer on real Kafka', () => {
  it('gets everything in batches, two partitions at a time, and nothing twice after a restart', async () => {
    const topic = await kafka.newTopic(6);
    await kafka.publish(...some(topic, 300));
    const { recorder, seen } = slowly(topic, 100);
    const first = await kafka.startBatches(recorder);
    await eventually(
      () => taken(recorder),
      (count) => count >= 300,
    );
    expect(sorted(recorder.calls)).toEqual(numbers(300));
    expect(recorder.calls.length).toBeLessThan(60);
    expect(seen).toEqual({ most: 2, overlaps: 0 });
    await eventually(
      () => lagOf(first.groupId, topic),
      (lag) => lag === 0,
    );
    const closing = Date.now();
    await first.app.close();
    expect(Date.now() - closing).toBeLessThan(4_000);
    const next = new BatchRecorder(topic);
    await kafka.startBatches(next, { groupId: first.groupId });
    await kafka.publish(...some(topic, 10, 300));
    await eventually(
      () => taken(next),
      (count) => count >= 10,
    );
    expect(sorted(next.calls)).toEqual(numbers(310).slice(300));
  });

  it('is not blocked by poisoned messages, and their neighbours are handled', async () => {
    const topic = await kafka.newTopic();
    const recorder = new BatchRecorder(topic, (messages) => {
      if (recordsOf(messages).includes(3)) throw new Error('broken');
    });
    await kafka.publish(...some(topic, 5));
    await kafka.produce(topic, [{ key: 'k', value: Buffer.from([0x7b, 0xff]) }, { value: null }]);
    await kafka.publish(...some(topic, 5, 5));
    const { groupId, letters } = await kafka.startBatches(recorder);
    await eventually(
      () => lagOf(groupId, topic),
      (lag) => lag === 0,
      30_000,
    );
    const alone = recorder.calls.filter(({ length }) => length === 1).flat();
    expect([...new Set(alone)].sort()).toEqual(numbers(10));
    expect(recorder.givenUp.map(({ received }) => received.offset)).toEqual(['5', '6', '3']);
    const dead = await kafka.contents(`${topic}.dlq`);
    expect(dead.map(({ headers }) => headers?.['x-error-code']?.toString())).toEqual([
      'invalid_message',
      'invalid_message',
      'handler_failed',
    ]);
    expect(dead[0]?.value).toEqual(Buffer.from([0x7b, 0xff]));
    expect(await letters.replay({ topic, ids: [`${topic}.dlq/0/2`] })).toBe(1);
    await eventually(
      () => recorder.givenUp,
      ({ length }) => length === 4,
    );
  });

  it('keeps its partitions while one batch takes longer than the session may be silent', async () => {
    const topic = await kafka.newTopic();
    const { recorder } = slowly(topic, 13_000);
    await kafka.publish(...some(topic, 3));
    const { groupId, health } = await kafka.startBatches(recorder);
    await eventually(
      () => lagOf(groupId, topic),
      (lag) => lag === 0,
      30_000,
    );
    expect(recorder.calls).toEqual([[0, 1, 2]]);
    expect((await health.ready()).status).toBe('ok');
  }, 60_000);

  it('shares the partitions with a second instance that comes and goes: nothing is lost, nothing handled twice at once', async () => {
    const topic = await kafka.newTopic(4);
    const first = slowly(topic, 300);
    const second = slowly(topic, 300);
    const { groupId } = await kafka.startBatches(first.recorder);
    const send = async (round: number) => kafka.publish(...some(topic, 200, round * 200));
    const all = () => new Set([...first.recorder.calls, ...second.recorder.calls].flat());
    await send(0);
    const { app } = await kafka.startBatches(second.recorder, { groupId });
    await send(1);
    await eventually(all, ({ size }) => size === 400, 30_000);
    expect(taken(second.recorder)).toBeGreaterThan(0);
    await send(2);
    await app.close();
    await eventually(all, ({ size }) => size === 600, 30_000);
    expect(taken(first.recorder) + taken(second.recorder)).toBe(600);
    expect([first.seen.overlaps, second.seen.overlaps]).toEqual([0, 0]);
  }, 90_000);

  it('finishes the piece it handles when it closes, and leaves the rest to the next', async () => {
    const topic = await kafka.newTopic();
    const { recorder } = slowly(topic, 2_000);
    await kafka.publish(...some(topic, 50));
    const { app, groupId } = await kafka.startBatches(recorder);
    await eventually(
      () => recorder.calls.length,
      (count) => count === 1,
    );
    await app.close();
    const handled = taken(recorder);
    expect(handled).toBeLessThan(50);
    const next = new BatchRecorder(topic);
    await kafka.startBatches(next, { groupId });
    await eventually(
      () => taken(next),
      (count) => count + handled >= 50,
    );
    expect(sorted([...recorder.calls, ...next.calls])).toEqual(numbers(50));
  });

  it('holds its partitions while a dependency is away for longer than kafkajs tries, and goes on by itself', async () => {
    const topic = await kafka.newTopic();
    const exit = jest.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    let away = true;
    const recorder = new BatchRecorder(topic, () => {
      if (away) throw new DependencyAwayError('the database is away');
    });
    const { groupId, health, letters } = await kafka.startBatches(recorder);
    const unready = async () => (await health.ready()).checks['kafka-batches']?.status;
    await kafka.publish(...some(topic, 5));
    await eventually(unready, (status) => status === 'down', 75_000);
    expect((await health.live()).status).toBe('ok');
    expect(await lagOf(groupId, topic)).toBe(5);
    away = false;
    await eventually(
      () => lagOf(groupId, topic),
      (lag) => lag === 0,
      30_000,
    );
    await eventually(unready, (status) => status === 'up');
    expect(new Set(recorder.calls.map(({ length }) => length))).toEqual(new Set([5]));
    expect(await letters.list({ topic, limit: 10 })).toEqual([]);
    expect(exit).not.toHaveBeenCalled();
  }, 120_000);

  it('takes messages of half a megabyte, a few at a time', async () => {
    const topic = await kafka.newTopic();
    const recorder = new BatchRecorder(topic);
    const large = Array.from({ length: 24 }, (_, n) => ({
      topic,
      ...pricesCollected(Array<string>(480).fill(`${n}-${'x'.repeat(1_000)}`), topic),
    }));
    await kafka.publish(...large);
    await kafka.startBatches(recorder, { groupId: `test-${randomUUID()}` });
    await eventually(
      () => taken(recorder),
      (count) => count === 24 * 480,
    );
    const most = Math.max(...recorder.calls.map(({ length }) => length / 480));
    expect(most).toBeGreaterThan(4);
    expect(most).toBeLessThanOrEqual(10);
  });
});
