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

/** A letter without its content: a topic may hold more than fits into memory. */
interface Mention {
  id: string;
  origin: string;
  failed_at: string;
}

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
    const { letters, replayed } = await this.survey(topic);
    const chosen = letters
      .filter(({ id }) => !replayed.has(id))
      .sort(newestFirst)
      .slice(0, limit);
    const items: DeadLetterItem[] = [];
    for (const origin of originsOf(chosen)) {
      await this.each(origin, chosen, (letter, mention) => {
        items.push(describe(letter, mention));
      });
    }
    return items.sort(newestFirst);
  }

  deleteOld(): Promise<number> {
    return Promise.resolve(0);
  }

  async replay({ topic, ids }: ReplayOptions): Promise<number> {
    const { letters, replayed } = await this.survey(topic);
    const unknown = (ids ?? []).filter((id) => !letters.some((letter) => letter.id === id));
    if (unknown.length > 0) throw new Error(`No such dead letter: ${unknown.join(', ')}.`);
    const chosen = letters.filter(({ id }) => (ids === undefined ? !replayed.has(id) : ids.includes(id)));
    for (const origin of originsOf(chosen)) await this.replayTopic(origin, chosen);
    return chosen.length;
  }

  /** First letters, then their marker: a crash between them repeats letters and loses none. */
  private async replayTopic(origin: string, chosen: Mention[]): Promise<void> {
    const sent: string[] = [];
    const mark = async (): Promise<void> => {
      const ids = sent.splice(0).join(',');
      if (ids === '') return;
      await this.bus.sendRaw(deadLetterTopic(origin), { key: null, value: null, headers: { [REPLAYED]: ids } });
    };
    try {
      await this.each(origin, chosen, async ({ key, value, headers }, { id }) => {
        await this.bus.sendRaw(origin, { key, value, headers: originalHeaders(headers ?? {}) });
        if (sent.push(id) === MARKER_IDS) await mark();
      });
    } finally {
      await mark();
    }
  }

  /** All letters and what was replayed of them: a marker may stand anywhere after its letters. */
  private async survey(origin: string | undefined): Promise<{ letters: Mention[]; replayed: Set<string> }> {
    const kafka = this.clients.create();
    const letters: Mention[] = [];
    const replayed = new Set<string>();
    for (const topic of await deadLetterTopics(kafka, origin)) {
      await readTopic(kafka, topic, (message) => {
        const marker = text(message.headers, REPLAYED);
        if (marker !== '') for (const id of marker.split(',')) replayed.add(id);
        else letters.push(mention(topic, message));
      });
    }
    return { letters, replayed };
  }

  /** Reads the chosen letters that came from a topic, one after the other. */
  private async each(
    origin: string,
    chosen: Mention[],
    take: (letter: StoredMessage, mention: Mention) => Promise<void> | void,
  ): Promise<void> {
    const wanted = new Map(chosen.filter((letter) => letter.origin === origin).map((letter) => [letter.id, letter]));
    const topic = deadLetterTopic(origin);
    await readTopic(this.clients.create(), topic, async (letter) => {
      const found = wanted.get(idOf(topic, letter));
      if (found !== undefined) await take(letter, found);
    });
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

function newestFirst(a: { failed_at: string }, b: { failed_at: string }): number {
  if (a.failed_at === b.failed_at) return 0;
  return a.failed_at < b.failed_at ? 1 : -1;
}

function originsOf(letters: Mention[]): Set<string> {
  return new Set(letters.map(({ origin }) => origin));
}

function idOf(topic: string, { partition, offset }: StoredMessage): string {
  return `${topic}/${partition}/${offset}`;
}

function mention(topic: string, letter: StoredMessage): Mention {
  const { headers, timestamp } = letter;
  return {
    id: idOf(topic, letter),
    origin: topic.slice(0, -DEAD_LETTER_SUFFIX.length),
    failed_at: text(headers, 'x-failed-at') || new Date(Number(timestamp)).toISOString(),
  };
}

function describe({ key, value, headers }: StoredMessage, { id, origin, failed_at }: Mention): DeadLetterItem {
  return {
    id,
    topic: origin,
    code: text(headers, 'x-error-code'),
    reason: text(headers, 'x-error-message'),
    consumer: text(headers, 'x-consumer'),
    key: key?.toString() ?? '',
    value: value?.toString() ?? '',
    failed_at,
  };
}

function text(headers: IHeaders | undefined, name: string): string {
  const value = headers?.[name];
  return (Array.isArray(value) ? value.at(-1) : value)?.toString() ?? '';
}
