import type { Admin, ITopicConfig } from 'kafkajs';
import { DEAD_LETTER_RETENTION_MS, deadLetterTopic, TOPICS, type TopicSettings } from '#contracts/topics.js';
import { loadConfig } from '#runtime/config.js';
import { KafkaClients } from './kafka/kafka-clients.js';
import { MessagingConfig } from './messaging.config.js';

/** Room for a dead letter: an almost too large message and the headers that say why it died. */
const DEAD_LETTER_MAX_BYTES = 2 * 1024 * 1024;

export interface EnsuredTopics {
  created: string[];
  existing: string[];
  /** Existing topics that had too few partitions and got more. */
  extended: string[];
  /** Differences that stay, each a sentence: partitions can't be removed. */
  drift: string[];
}

/**
 * Creates every topic with its dead-letter topic; run it before the services. Running it again, or twice at once,
 * changes nothing. Without KAFKA_BROKERS there is nothing to do.
 */
export async function ensureTopics(
  config: MessagingConfig = loadConfig(MessagingConfig),
  topics: Record<string, Pick<TopicSettings, 'partitions' | 'retentionMs'>> = TOPICS,
): Promise<EnsuredTopics> {
  const result: EnsuredTopics = { created: [], existing: [], extended: [], drift: [] };
  if (config.KAFKA_BROKERS === '') return result;
  const admin = new KafkaClients(config).create().admin();
  await admin.connect();
  try {
    const wanted = Object.entries(topics).flatMap(([topic, settings]) => wantedTopics(topic, settings, config));
    const names = wanted.map(({ topic }) => topic);
    const before = new Set(await admin.listTopics());
    const missing = wanted.filter(({ topic }) => !before.has(topic));
    // waitForLeaders: a service that starts right after must be able to subscribe.
    if (missing.length > 0) await admin.createTopics({ topics: missing, waitForLeaders: true });
    result.created = missing.map(({ topic }) => topic);
    result.existing = names.filter((topic) => before.has(topic));
    await matchPartitions(admin, wanted, result);
    return result;
  } finally {
    await admin.disconnect();
  }
}

function wantedTopics(
  topic: string,
  { partitions, retentionMs }: Pick<TopicSettings, 'partitions' | 'retentionMs'>,
  { KAFKA_REPLICATION_FACTOR }: MessagingConfig,
): ITopicConfig[] {
  const replicationFactor = KAFKA_REPLICATION_FACTOR;
  const common = [
    // One copy may be away; with fewer than three copies a minimum of two would stop writing at once.
    { name: 'min.insync.replicas', value: replicationFactor >= 3 ? '2' : '1' },
    // kafkajs reads gzip or nothing: what the producer chose stays.
    { name: 'compression.type', value: 'producer' },
    { name: 'cleanup.policy', value: 'delete' },
  ];
  return [
    {
      topic,
      numPartitions: partitions,
      replicationFactor,
      configEntries: [...common, { name: 'retention.ms', value: String(retentionMs) }],
    },
    {
      topic: deadLetterTopic(topic),
      numPartitions: 1,
      replicationFactor,
      configEntries: [
        ...common,
        { name: 'retention.ms', value: String(DEAD_LETTER_RETENTION_MS) },
        { name: 'max.message.bytes', value: String(DEAD_LETTER_MAX_BYTES) },
      ],
    },
  ];
}

async function matchPartitions(admin: Admin, wanted: ITopicConfig[], result: EnsuredTopics): Promise<void> {
  if (result.existing.length === 0) return;
  const { topics } = await admin.fetchTopicMetadata({ topics: result.existing });
  for (const { name, partitions } of topics) {
    const count = wanted.find(({ topic }) => topic === name)?.numPartitions ?? partitions.length;
    if (partitions.length < count) {
      await admin.createPartitions({ topicPartitions: [{ topic: name, count }] });
      result.extended.push(name);
    } else if (partitions.length > count) {
      result.drift.push(`${name} has ${partitions.length} partitions instead of ${count}`);
    }
  }
}
