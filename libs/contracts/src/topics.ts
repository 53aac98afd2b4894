const DAY_MS = 86_400_000;

export interface TopicSettings {
  partitions: number;
  /** How long the broker keeps a message. */
  retentionMs: number;
  summary: string;
  /** Its messages hold personal data: an outbox row of it is deleted once it is published, and not kept for days. */
  forgetPublished?: true;
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
  'export.requested.reporting.v1': {
    partitions: 6,
    retentionMs: 7 * DAY_MS,
    summary: 'A report, raw events, users or consent records are to be written into a file.',
  },
  'export.requested.integrity.v1': {
    partitions: 6,
    retentionMs: 7 * DAY_MS,
    summary: 'A dispute file, refund claim, block list, advisory or evidence bundle is to be written into a file.',
  },
  'export.requested.modeling.v1': {
    partitions: 6,
    retentionMs: 7 * DAY_MS,
    summary: 'A marketing mix model or a lift test is to be written into a file.',
  },
  'export.completed.v1': { partitions: 6, retentionMs: 30 * DAY_MS, summary: 'A file is in the object storage.' },
  'export.failed.v1': { partitions: 6, retentionMs: 30 * DAY_MS, summary: 'A file could not be written.' },
  'events.collected.v1': {
    partitions: 12,
    retentionMs: 7 * DAY_MS,
    summary: 'What visitors did, up to 500 events.',
    forgetPublished: true,
  },
  'consent.recorded.v1': {
    partitions: 6,
    retentionMs: 7 * DAY_MS,
    summary: 'Consent decisions, up to 500.',
    forgetPublished: true,
  },
  'users.identified.v1': {
    partitions: 6,
    retentionMs: 7 * DAY_MS,
    summary: 'Who visitors are, up to 500 identities.',
    forgetPublished: true,
  },
  'mmm.run-requested.v1': {
    partitions: 6,
    retentionMs: 7 * DAY_MS,
    summary: 'A marketing mix model waits to be fitted.',
  },
  'mmm.run-completed.v1': {
    partitions: 6,
    retentionMs: 30 * DAY_MS,
    summary: 'A marketing mix model was fitted, or could not be.',
  },
  'lift.test-requested.v1': { partitions: 6, retentionMs: 7 * DAY_MS, summary: 'A lift test waits to be evaluated.' },
  'lift.test-completed.v1': {
    partitions: 6,
    retentionMs: 30 * DAY_MS,
    summary: 'A lift test was evaluated, or could not be.',
  },
  'integrity.verdict-changed.v1': {
    partitions: 6,
    retentionMs: 30 * DAY_MS,
    summary: 'The current severity of a network or another entity rose or fell; drives pushes of block lists.',
  },
  'integrity.checkpoint-signed.v1': {
    partitions: 6,
    retentionMs: 30 * DAY_MS,
    summary: 'A checkpoint of an evidence ledger was signed: a copy outside the database.',
  },
} as const satisfies Record<string, TopicSettings>;

export type Topic = keyof typeof TOPICS;

/** Topics whose messages must not stay in an outbox, see TopicSettings. */
export const FORGOTTEN_TOPICS: ReadonlySet<string> = new Set(
  Object.entries<TopicSettings>(TOPICS).flatMap(([topic, { forgetPublished }]) => (forgetPublished ? [topic] : [])),
);

export const DEAD_LETTER_SUFFIX = '.dlq';
export const DEAD_LETTER_RETENTION_MS = 30 * DAY_MS;

/** The topic that takes what a consumer of `topic` could not handle. */
export function deadLetterTopic(topic: string): string {
  return topic + DEAD_LETTER_SUFFIX;
}
