import { afterEach, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { HealthRegistry } from '#runtime/health.registry.js';
import { BatchRecorder, PricesCollected, pricesCollected, providerOf } from '../../testing/batch-fixtures.js';
import { consumerOf, PriceChanged } from '../../testing/consumer-fixtures.js';
import { startBatchService, stopBatchServices } from '../../testing/in-memory-batches.js';
import { InMemoryKafka } from '../../testing/in-memory-kafka.js';
import { exitCodes, stopServices } from '../../testing/in-memory-service.js';
import { eventually, GROUP, startApp } from '../../testing/kafka-app.js';

const TOPIC = PricesCollected.topic;

afterEach(async () => {
  await stopServices();
  await stopBatchServices();
});

const some = (count: number) => Array.from({ length: count }, (_, n) => pricesCollected([String(n + 1)]));

describe('the batch consumer of a process', () => {
  it('has a group, settings and health checks of its own beside the other consumers', async () => {
    const kafka = new InMemoryKafka([TOPIC, 'more.v1', PriceChanged.topic]);
    const providers = [providerOf(new BatchRecorder()), providerOf(new BatchRecorder('more.v1'))];
    const { consumer } = consumerOf(PriceChanged.topic);
    const app = await startApp(kafka, [consumer as Type], { providers, batchWriters: 3 });
    const [batches, messages] = kafka.consumers;
    expect(kafka.consumers).toHaveLength(2);
    expect(messages?.config).toMatchObject({ groupId: GROUP });
    expect(messages?.subscription.topics).toEqual([PriceChanged.topic]);
    expect(batches?.config).toMatchObject({
      groupId: `${GROUP}-batches`,
      allowAutoTopicCreation: false,
      maxWaitTimeInMs: 1_000,
      maxBytesPerPartition: 4_194_304,
    });
    expect(batches?.subscription).toEqual({ topics: [TOPIC, 'more.v1'], fromBeginning: true });
    expect(batches?.runOptions).toEqual({
      eachBatchAutoResolve: false,
      autoCommitThreshold: 1,
      partitionsConsumedConcurrently: 3,
    });
    expect(Object.keys((await app.get(HealthRegistry).ready()).checks)).toEqual(
      expect.arrayContaining(['kafka', 'kafka-consumer', 'kafka-batches', 'kafka-batch-consumer']),
    );
    await app.close();
    expect(kafka.consumers.map(({ disconnected }) => disconnected)).toEqual([true, true]);
  });

  it('handles two partitions at a time when nothing else is said', async () => {
    const { reader } = await startBatchService();
    expect(reader.runOptions).toMatchObject({ partitionsConsumedConcurrently: 2 });
  });

  it('does not start without its topics, or twice for one', async () => {
    const kafka = new InMemoryKafka([TOPIC]);
    const missing = startApp(kafka, [], { providers: [providerOf(new BatchRecorder('more.v1'))] });
    await expect(missing).rejects.toThrow('Missing topics: more.v1, more.v1.dlq. Run "tallyport topics ensure".');
    const two = startApp(kafka, [], { providers: [providerOf(new BatchRecorder()), providerOf(new BatchRecorder())] });
    await expect(two).rejects.toThrow(`Two batch consumers of ${TOPIC} in one process.`);
  });

  it('ends the process with 1 when kafkajs will not restart it', async () => {
    const codes = exitCodes();
    const { reader, health } = await startBatchService();
    reader.emit(reader.events.CRASH, { error: new TypeError('in a codec'), restart: false });
    expect((await health.live()).checks['kafka-batch-consumer']).toEqual({
      status: 'down',
      reason: 'consumer dead: in a codec',
    });
    await eventually(
      () => codes,
      ({ length }) => length > 0,
    );
    expect(codes).toEqual([1]);
    expect(reader.disconnected).toBe(true);
  });

  it('finishes the piece that is being handled when it closes, and leaves the rest', async () => {
    let finish: () => void = () => undefined;
    const { app, recorder, reader } = await startBatchService(
      () => new Promise<void>((resolve) => (finish = resolve)),
      { waiting: some(30) },
    );
    await eventually(
      () => recorder.calls.length,
      (count) => count === 1,
    );
    let closed = false;
    const closing = app.close().then(() => (closed = true));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(closed).toBe(false);
    finish();
    await closing;
    expect(reader.commits).toEqual([`${TOPIC}@20`]);
    expect(recorder.calls).toHaveLength(1);
  });

  it('does not try again when it closes: the messages are held', async () => {
    let fail: () => void = () => undefined;
    const { app, recorder, reader, letters } = await startBatchService(
      () =>
        new Promise<void>(
          (_, reject) =>
            (fail = () => {
              reject(new Error('broken'));
            }),
        ),
      { waiting: some(1) },
    );
    await eventually(
      () => recorder.calls.length,
      (count) => count === 1,
    );
    const closing = app.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    fail();
    await closing;
    expect(recorder.calls).toHaveLength(1);
    expect(reader.position(TOPIC)).toBe(0);
    expect(letters()).toEqual([]);
  });
});
