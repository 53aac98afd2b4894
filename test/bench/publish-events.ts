import { MAX_RECORDS_IN_MESSAGE } from '#contracts/collect/collected.js';
import { visitorBucket } from '#contracts/collect/visitor-bucket.js';
import { KafkaBus } from '#messaging/kafka/kafka.bus.js';
import { KafkaClients } from '#messaging/kafka/kafka-clients.js';
import { MessagingConfig } from '#messaging/messaging.config.js';
import { outgoingEvent } from '#messaging/outgoing.js';
import { loadConfig } from '#runtime/config.js';
import { eventStream, type StreamEvent } from './event-stream.js';
import type { BenchStack } from './services.js';

/** Puts events of the last 90 days on the topic, as collectors do. */
export async function publishEvents(
  { env, credentials: { asset_id: assetId } }: BenchStack,
  count: number,
  days = 90,
): Promise<void> {
  const bus = new KafkaBus(new KafkaClients(loadConfig(MessagingConfig, env)));
  const buckets = new Map<number, StreamEvent[]>();
  const send = async (bucket: number, records: StreamEvent[]) => {
    await bus.publish([
      outgoingEvent('gateway', 'events.collected.v1', assetId, { asset_id: assetId, records }, `${assetId}:${bucket}`),
    ]);
  };
  for (const event of eventStream(count, days, new Date())) {
    const bucket = visitorBucket(event.distinct_id);
    const records = buckets.get(bucket) ?? [];
    buckets.set(bucket, records);
    records.push(event);
    if (records.length < MAX_RECORDS_IN_MESSAGE) continue;
    buckets.delete(bucket);
    await send(bucket, records);
  }
  for (const [bucket, records] of buckets) await send(bucket, records);
  await bus.onApplicationShutdown();
}
