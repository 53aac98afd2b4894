const DAY_MS = 86_400_000;

export interface TopicSettings {
  partitions: number;
  /** How long the broker keeps a message. */
  retentionMs: number;
  summary: string;
}

/** Every topic of the service with its settings; `tallyport topics ensure` creates each and its dead-letter topic. */
export const TOPICS = {
  'cost-import.requested.v1': {
    partitions: 6,
    retentionMs: 7 * DAY_MS,
    summary: 'A stored file waits to be imported.',
  },
  'cost-import.completed.v1': { partitions: 6, retentionMs: 30 * DAY_MS, summary: 'An import was committed.' },
  'cost-import.failed.v1': {
    partitions: 6,
    retentionMs: 30 * DAY_MS,
    summary: 'An import ended without writing anything: failed or canceled.',
  },
} as const satisfies Record<string, TopicSettings>;

export type Topic = keyof typeof TOPICS;

export const DEAD_LETTER_SUFFIX = '.dlq';
export const DEAD_LETTER_RETENTION_MS = 30 * DAY_MS;

/** The topic that takes what a consumer of `topic` could not handle. */
export function deadLetterTopic(topic: string): string {
  return topic + DEAD_LETTER_SUFFIX;
}
