import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { KafkaConfig } from 'kafkajs';
import { loadConfig } from '#runtime/config.js';
import { DependencyAwayError } from '#runtime/dependency-away.js';
import { metricsRegistry } from '#runtime/metrics.js';
import { consumerLag } from '#messaging/kafka/consumer-lag.js';
import type { KafkaClients } from '#messaging/kafka/kafka-clients.js';
import { KafkaServer } from '#messaging/kafka/kafka.server.js';
import { MessagingConfig } from '#messaging/messaging.config.js';
import { eventually } from '../../libs/messaging/testing/kafka-app.js';
import { eventOf, OnKafka } from '../../libs/messaging/testing/on-kafka.js';
import { stack } from './support.js';

const kafka = new OnKafka(loadConfig(MessagingConfig, { ...stack.env }));

afterEach(async () => {
  jest.restoreAllMocks();
  await kafka.stop();
});

describe('a consumer on real Kafka', () => {
  it('gets what was published before its group first joined, and nothing twice after a restart', async () => {
    const topic = await kafka.newTopic(3);
    await kafka.publish(eventOf(topic, 'early'));
    const first = await kafka.start(topic);
    await eventually(first.prices, ({ length }) => length === 1);
    await kafka.publish(eventOf(topic, 'late'));
    await eventually(first.prices, ({ length }) => length === 2);
    const closing = Date.now();
    await first.app.close();
    expect(Date.now() - closing).toBeLessThan(4_000);
    const second = await kafka.start(topic, undefined, { groupId: first.groupId });
    await kafka.publish(eventOf(topic, 'next'));
    await eventually(second.prices, ({ length }) => length >= 1);
    expect(first.prices()).toEqual(['early', 'late']);
    expect(second.prices()).toEqual(['next']);
  });

  it('in a group that reads from the end gets only what comes after it is ready', async () => {
    const topic = await kafka.newTopic();
    await kafka.publish(eventOf(topic, 'before'));
    const { prices } = await kafka.start(topic, undefined, { fromBeginning: false });
    // Ready means joined; the end is looked up with the first fetch.
    await eventually(
      async () => {
        await kafka.publish(eventOf(topic, 'after'));
        return prices();
      },
      ({ length }) => length > 0,
    );
    expect(new Set(prices())).toEqual(new Set(['after']));
  });

  it('is not blocked by a poisoned message; its bytes and the reason are in the dead-letter topic', async () => {
    const topic = await kafka.newTopic();
    const { prices, groupId } = await kafka.start(topic);
    const key = Buffer.from([0, 0xff, 0x7b]);
    await kafka.produce(topic, [
      { key, value: Buffer.from([0x7b, 0xff]), headers: { trace: '{x' } },
      { key, value: null },
    ]);
    await kafka.publish(eventOf(topic, 'good'));
    await eventually(prices, ({ length }) => length === 1);
    const letters = await kafka.contents(`${topic}.dlq`);
    expect(letters.map(({ value }) => value)).toEqual([Buffer.from([0x7b, 0xff]), null]);
    const { headers } = letters[0] ?? {};
    expect(letters[0]?.key).toEqual(key);
    expect(Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]))).toEqual({
      trace: '{x',
      'x-error-code': 'invalid_message',
      'x-error-class': 'InvalidMessageError',
      'x-error-message': 'the message is not JSON in UTF-8',
      'x-origin-topic': topic,
      'x-origin-partition': '0',
      'x-origin-offset': '0',
      'x-consumer': groupId,
      'x-failed-at': expect.stringMatching(/Z$/),
    });
  });

  it('holds the partition while a dependency is away for longer than kafkajs tries, and goes on by itself', async () => {
    const topic = await kafka.newTopic();
    const exit = jest.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    let away = true;
    const { prices, health, letters, groupId } = await kafka.start(topic, () => {
      if (away) throw new DependencyAwayError('the database is away');
    });
    const crashed = async () => {
      const metrics = await metricsRegistry.metrics();
      return Number(/tallyport_consumer_crashes_total{restart="true"} (\d+)/.exec(metrics)?.[1] ?? 0);
    };
    const lag = () => kafka.admin(async (client) => (await consumerLag(client, groupId, [topic]))[topic]);
    const before = await crashed();
    await kafka.publish(eventOf(topic, '1'), eventOf(topic, '2'));
    await eventually(crashed, (count) => count > before, 75_000);
    expect(new Set(prices())).toEqual(new Set(['1']));
    expect((await health.live()).status).toBe('ok');
    expect(await lag()).toBe(2);
    away = false;
    await eventually(prices, (all) => all.includes('2'), 30_000);
    await eventually(lag, (waiting) => waiting === 0);
    expect(await letters.list({ topic, limit: 10 })).toEqual([]);
    expect(exit).not.toHaveBeenCalled();
  }, 120_000);

  it('shares the partitions with a second instance, and no message is lost when one leaves', async () => {
    const topic = await kafka.newTopic(4);
    const first = await kafka.start(topic);
    const second = await kafka.start(topic, undefined, { groupId: first.groupId });
    const send = (round: number) =>
      kafka.publish(...Array.from({ length: 40 }, (_, n) => ({ ...eventOf(topic, `${round}-${n}`), key: `key-${n}` })));
    const seen = () => new Set([...first.prices(), ...second.prices()]);
    await send(1);
    await eventually(seen, ({ size }) => size === 40, 30_000);
    expect(second.prices().length).toBeGreaterThan(0);
    await second.app.close();
    await send(2);
    await eventually(seen, ({ size }) => size === 80, 30_000);
  });

  it('joins again after the broker was out of reach for longer than kafkajs tries', async () => {
    const topic = await kafka.newTopic();
    const exit = jest.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    const network = new BreakableNetwork();
    const { prices, health } = await kafka.start(topic, undefined, { clients: network.clients() });
    await kafka.publish(eventOf(topic, '1'));
    await eventually(prices, ({ length }) => length === 1);
    network.cut();
    await eventually(
      () => health.ready(),
      ({ status }) => status === 'error',
      90_000,
    );
    expect((await health.live()).status).toBe('ok');
    network.mend();
    await kafka.publish(eventOf(topic, '2'));
    await eventually(prices, (all) => all.includes('2'), 60_000);
    await eventually(
      () => health.ready(),
      ({ status }) => status === 'ok',
    );
    expect(exit).not.toHaveBeenCalled();
  }, 180_000);

  it('ends the process when an error outside of the filters kills the consumer', async () => {
    const topic = await kafka.newTopic();
    const codes: unknown[] = [];
    jest.spyOn(process, 'exit').mockImplementation((code) => {
      codes.push(code);
      process.exitCode = 0;
      return undefined as never;
    });
    jest.spyOn(KafkaServer.prototype, 'handleMessage').mockRejectedValue(new TypeError('as in a broken deserializer'));
    const { health } = await kafka.start(topic);
    await kafka.publish(eventOf(topic, '1'));
    await eventually(
      () => codes,
      ({ length }) => length > 0,
      20_000,
    );
    expect(codes).toEqual([1]);
    expect((await health.live()).checks['kafka-consumer']).toMatchObject({ status: 'down' });
  });
});

/** The client's way to the broker, which the test can cut. */
class BreakableNetwork {
  private broken = false;
  private readonly sockets = new Set<Socket>();

  clients(): KafkaClients {
    const settings = (): KafkaConfig & { brokers: string[] } => ({
      ...kafka.clients.settings(),
      socketFactory: ({ host, port, onConnect }) => {
        // Port 1 refuses.
        const socket = connect({ host, port: this.broken ? 1 : port }, onConnect);
        this.sockets.add(socket);
        return socket;
      },
    });
    return Object.assign(Object.create(kafka.clients) as KafkaClients, { settings });
  }

  cut(): void {
    this.broken = true;
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    for (const socket of this.sockets) socket.destroy(reset);
  }

  mend(): void {
    this.broken = false;
  }
}
