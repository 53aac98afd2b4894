import type { Admin, Kafka } from 'kafkajs';
import { loggerFor } from '#runtime/logger.js';
import { gauge } from '#runtime/metrics.js';

const INTERVAL_MS = 30_000;

const lagGauge = gauge({
  name: 'tallyport_consumer_lag_messages',
  help: 'Messages of a topic that the group has not yet read',
  labelNames: ['group', 'topic'],
});

/**
 * Messages that wait, per topic. Asked of the broker and not of kafkajs' batch events: those fall silent when the
 * consumer is stuck.
 */
export async function consumerLag(admin: Admin, groupId: string, topics: string[]): Promise<Record<string, number>> {
  const committed = await admin.fetchOffsets({ groupId, topics });
  const lags = await Promise.all(
    committed.map(async ({ topic, partitions }) => {
      const ends = new Map((await admin.fetchTopicOffsets(topic)).map((end) => [end.partition, end]));
      const lag = partitions.reduce((sum, { partition, offset }) => {
        const end = ends.get(partition);
        if (end === undefined) return sum;
        // -1: nothing was committed yet.
        const position = Number(offset) < 0 ? Number(end.low) : Number(offset);
        return sum + Math.max(0, Number(end.high) - position);
      }, 0);
      return [topic, lag] as const;
    }),
  );
  return Object.fromEntries(lags);
}

/** Keeps the lag metric fresh. @returns stops it */
export async function watchLag(kafka: Kafka, groupId: string, topics: string[]): Promise<() => Promise<void>> {
  const log = loggerFor('consumer');
  const admin = kafka.admin();
  await admin.connect();
  let measuring = Promise.resolve();
  const measure = async (): Promise<void> => {
    try {
      for (const [topic, lag] of Object.entries(await consumerLag(admin, groupId, topics))) {
        lagGauge.set({ group: groupId, topic }, lag);
      }
    } catch (error) {
      log.warn({ err: error }, 'the consumer lag could not be measured');
    }
  };
  const timer = setInterval(() => {
    measuring = measuring.then(measure);
  }, INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await measuring;
    await admin.disconnect();
  };
}
