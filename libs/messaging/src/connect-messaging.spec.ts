import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { PermanentError } from './errors.js';
import { RETRY_DELAYS_MS } from './consumer/retry.interceptor.js';
import { SESSION_TIMEOUT_MS } from './kafka/consumer-watch.js';
import { consumerOf, PriceChanged, priceChanged } from '../testing/consumer-fixtures.js';
import { exitCodes, startService, stopServices } from '../testing/in-memory-service.js';
import { eventually, GROUP, startApp } from '../testing/kafka-app.js';
import { InMemoryKafka } from '../testing/in-memory-kafka.js';

const TOPIC = PriceChanged.topic;

afterEach(stopServices);

describe('the process', () => {
  it('ends with 1, after a graceful shutdown, when kafkajs will not restart', async () => {
    const codes = exitCodes();
    const { reader, health } = await startService();
    expect((await health.ready()).status).toBe('ok');
    reader.emit(reader.events.CRASH, { error: new TypeError('in a codec'), restart: false });
    expect((await health.live()).checks['kafka-consumer']).toEqual({
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

  it('ends after five crashes without progress, and a finished batch starts the count again', async () => {
    const codes = exitCodes();
    const { reader } = await startService();
    const crash = () => {
      reader.emit(reader.events.CRASH, { error: new Error('a bug'), restart: true });
    };
    for (let count = 0; count < 4; count++) crash();
    reader.emit(reader.events.END_BATCH_PROCESS);
    for (let count = 0; count < 4; count++) crash();
    expect(codes).toEqual([]);
    crash();
    await eventually(
      () => codes,
      ({ length }) => length > 0,
    );
    expect(codes).toEqual([1]);
  });

  it('is ready only while it is in the group and beats', async () => {
    const { reader, health } = await startService();
    expect((await health.ready()).checks['kafka']).toEqual({ status: 'up' });
    reader.emit(reader.events.REBALANCING);
    expect((await health.ready()).checks['kafka']).toEqual({ status: 'down', reason: 'not in the consumer group' });
    reader.emit(reader.events.GROUP_JOIN);
    const later = Date.now() + 2 * SESSION_TIMEOUT_MS + 5_000;
    jest.spyOn(Date, 'now').mockReturnValue(later);
    expect((await health.ready()).checks['kafka']).toEqual({ status: 'down', reason: 'no heartbeat for 25 s' });
    expect((await health.live()).status).toBe('ok');
  });
});

describe('connecting to Kafka', () => {
  it('uses the settings that the traps of kafkajs ask for', async () => {
    const { reader } = await startService();
    expect(reader.config).toMatchObject({ groupId: GROUP, allowAutoTopicCreation: false, maxWaitTimeInMs: 1_000 });
    expect(reader.subscription).toEqual({ topics: [TOPIC], fromBeginning: true });
    expect(reader.runOptions).toEqual({ autoCommitThreshold: 1 });
    const waits = RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0);
    expect(waits).toBeLessThan(SESSION_TIMEOUT_MS / 4);
  });

  it('names the topics that are missing, dead-letter topics included', async () => {
    const kafka = new InMemoryKafka(['another.v1']);
    await expect(startApp(kafka, [consumerOf(TOPIC).consumer as Type])).rejects.toThrow(
      `Missing topics: ${TOPIC}, ${TOPIC}.dlq. Run "tallyport topics ensure".`,
    );
  });

  it('refuses two consumers of one topic: one failure would replay both', async () => {
    const kafka = new InMemoryKafka([TOPIC]);
    const consumers = [consumerOf(TOPIC).consumer, consumerOf(TOPIC).consumer] as Type[];
    await expect(startApp(kafka, consumers)).rejects.toThrow(`Two consumers of ${TOPIC} in one process.`);
  });

  it('does not join a group without consumers', async () => {
    const kafka = new InMemoryKafka([]);
    const app = await startApp(kafka, []);
    expect(kafka.consumers).toEqual([]);
    await app.close();
  });

  it('closes consumer and producers with the application', async () => {
    const { app, kafka, reader, read } = await startService(() => {
      throw new PermanentError('no');
    });
    kafka.append(TOPIC, priceChanged('1'));
    await read(1);
    expect(kafka.connectedProducers).toBe(2);
    await app.close();
    expect(reader.disconnected).toBe(true);
    expect(kafka.connectedProducers).toBe(0);
  });
});
