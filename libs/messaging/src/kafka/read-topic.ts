import type { EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import { v4 as uuidv4 } from 'uuid';

const SILENCE_LIMIT_MS = 30_000;

export type StoredMessage = KafkaMessage & { partition: number };

export type TakeMessage = (message: StoredMessage) => Promise<void> | void;

/**
 * Reads a topic from its beginning to where it ends now (the last stable offset), in no order between partitions. kafkajs reads only as a member
 * of a group, so it makes one, commits nothing and deletes it.
 *
 * @throws Error when the broker is silent for 30 s
 * @throws what `take` throws: nothing more is read then
 */
export async function readTopic(kafka: Kafka, topic: string, take: TakeMessage): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  const groupId = `tallyport-dlq-read-${uuidv4()}`;
  try {
    const ends = new Map<number, bigint>();
    for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
      if (BigInt(high) > BigInt(low)) ends.set(partition, BigInt(high));
    }
    if (ends.size === 0) return;
    await readUntil(kafka, groupId, topic, ends, take);
    await admin.deleteGroups([groupId]);
  } finally {
    await admin.disconnect();
  }
}

async function readUntil(
  kafka: Kafka,
  groupId: string,
  topic: string,
  ends: Map<number, bigint>,
  take: TakeMessage,
): Promise<void> {
  const consumer = kafka.consumer({ groupId, allowAutoTopicCreation: false, maxWaitTimeInMs: 200 });
  let silence: NodeJS.Timeout | undefined;
  try {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      const watch = (): void => {
        clearTimeout(silence);
        silence = setTimeout(() => {
          reject(new Error(`Kafka did not deliver ${topic} within ${SILENCE_LIMIT_MS / 1000} s.`));
        }, SILENCE_LIMIT_MS);
      };
      watch();
      const { CRASH, END_BATCH_PROCESS } = consumer.events;
      consumer.on(CRASH, ({ payload: { error, restart } }) => {
        // Else it comes back by itself: a fresh broker answers NOT_COORDINATOR at first.
        if (!restart) reject(error);
      });
      // And not in eachBatch: that is not called for a batch that holds only the end of a transaction.
      consumer.on(END_BATCH_PROCESS, ({ payload: { partition, lastOffset } }) => {
        watch();
        const end = ends.get(partition);
        if (end !== undefined && BigInt(lastOffset) >= end - 1n) ends.delete(partition);
        if (ends.size === 0) resolve();
      });
      const eachBatch = async (payload: EachBatchPayload): Promise<void> => {
        const { partition, messages } = payload.batch;
        const end = ends.get(partition) ?? 0n;
        try {
          for (const message of messages) if (BigInt(message.offset) < end) await take({ ...message, partition });
        } catch (error) {
          // kafkajs would give the batch again.
          payload.pause();
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      consumer.run({ autoCommit: false, eachBatch }).catch(reject);
    });
  } finally {
    clearTimeout(silence);
    await consumer.disconnect();
  }
}
