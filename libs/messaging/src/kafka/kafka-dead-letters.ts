import type { IHeaders, Kafka } from 'kafkajs';
import { DEAD_LETTER_SUFFIX, deadLetterTopic } from '#contracts/topics.js';
import { originalHeaders } from '../consumer/dead-letter-reason.js';
import { DeadLetters, type DeadLetterItem, type ReplayOptions } from '../dead-letters.js';
import type { KafkaBus } from './kafka.bus.js';
import type { KafkaClients } from './kafka-clients.js';
import { readTopic, type StoredMessage } from './read-topic.js';

/** Header of a marker: the ids that were replayed, separated by commas. */
const REPLAYED = 'x-replayed';
/** Ids in one marker: it stays a small message. */
const MARKER_IDS = 500;

type Letter = StoredMessage & { id: string; origin: string };

/**
 * Dead letters in their topics. What was replayed is noted in the same topic, by a marker without key and value: it
 * lives as long as the letters it names, knows single letters, and needs no group whose offsets could be lost.
 */
export class KafkaDeadLetters extends DeadLetters {
  constructor(
    private readonly clients: KafkaClients,
    private readonly bus: KafkaBus,
  ) {
    super();
  }

  async list({ topic, limit }: { topic?: string; limit: number }): Promise<DeadLetterItem[]> {
    const { letters, replayed } = await this.read(topic);
    return letters
      .filter(({ id }) => !replayed.has(id))
      .map(describe)
      .sort((a, b) => (a.failed_at < b.failed_at ? 1 : -1))
      .slice(0, limit);
  }

  async replay({ topic, ids }: ReplayOptions): Promise<number> {
    const { letters, replayed } = await this.read(topic);
    const unknown = (ids ?? []).filter((id) => !letters.some((letter) => letter.id === id));
    if (unknown.length > 0) throw new Error(`No such dead letter: ${unknown.join(', ')}.`);
    const chosen = letters.filter(({ id }) => (ids === undefined ? !replayed.has(id) : ids.includes(id)));
    for (const origin of new Set(chosen.map((letter) => letter.origin))) {
      const ofTopic = chosen.filter((letter) => letter.origin === origin);
      for (let first = 0; first < ofTopic.length; first += MARKER_IDS) {
        await this.replayPart(origin, ofTopic.slice(first, first + MARKER_IDS));
      }
    }
    return chosen.length;
  }

  /** First the letters, then the marker: a crash between them repeats letters and loses none. */
  private async replayPart(origin: string, letters: Letter[]): Promise<void> {
    for (const { key, value, headers } of letters) {
      await this.bus.sendRaw(origin, { key, value, headers: originalHeaders(headers ?? {}) });
    }
    const ids = letters.map(({ id }) => id).join(',');
    await this.bus.sendRaw(deadLetterTopic(origin), { key: null, value: null, headers: { [REPLAYED]: ids } });
  }

  private async read(origin: string | undefined): Promise<{ letters: Letter[]; replayed: Set<string> }> {
    const kafka = this.clients.create();
    const letters: Letter[] = [];
    const replayed = new Set<string>();
    for (const topic of await deadLetterTopics(kafka, origin)) {
      await readTopic(kafka, topic, (message) => {
        const marker = text(message.headers, REPLAYED);
        if (marker !== '') for (const id of marker.split(',')) replayed.add(id);
        else letters.push({ ...message, ...origins(topic, message) });
      });
    }
    return { letters, replayed };
  }
}

async function deadLetterTopics(kafka: Kafka, origin: string | undefined): Promise<string[]> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const topics = await admin.listTopics();
    return topics.filter((topic) =>
      origin === undefined ? topic.endsWith(DEAD_LETTER_SUFFIX) : topic === deadLetterTopic(origin),
    );
  } finally {
    await admin.disconnect();
  }
}

function origins(topic: string, { partition, offset }: StoredMessage): { id: string; origin: string } {
  return { id: `${topic}/${partition}/${offset}`, origin: topic.slice(0, -DEAD_LETTER_SUFFIX.length) };
}

function describe({ id, origin, key, value, headers, timestamp }: Letter): DeadLetterItem {
  return {
    id,
    topic: origin,
    code: text(headers, 'x-error-code'),
    reason: text(headers, 'x-error-message'),
    consumer: text(headers, 'x-consumer'),
    key: key?.toString() ?? '',
    value: value?.toString() ?? '',
    failed_at: text(headers, 'x-failed-at') || new Date(Number(timestamp)).toISOString(),
  };
}

function text(headers: IHeaders | undefined, name: string): string {
  const value = headers?.[name];
  return (Array.isArray(value) ? value.at(-1) : value)?.toString() ?? '';
}
