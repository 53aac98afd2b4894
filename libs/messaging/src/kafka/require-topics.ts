import { deadLetterTopic } from '#contracts/topics.js';
import type { KafkaClients } from './kafka-clients.js';

/**
 * A missing dead-letter topic would show only with the first dead letter, and hold its partition for ever.
 *
 * @throws Error naming the topics that do not exist
 */
export async function requireTopics(clients: KafkaClients, topics: string[]): Promise<void> {
  const admin = clients.create().admin();
  try {
    await admin.connect();
    const existing = new Set(await admin.listTopics());
    const needed = topics.flatMap((topic) => [topic, deadLetterTopic(topic)]);
    const missing = needed.filter((topic) => !existing.has(topic));
    if (missing.length > 0) throw new Error(`Missing topics: ${missing.join(', ')}. Run "tallyport topics ensure".`);
  } finally {
    await admin.disconnect();
  }
}
