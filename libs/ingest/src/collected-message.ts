import type { BadRecord } from '#messaging/dead-letter-records.js';

/** A message with records of one asset; see BatchMessage. */
export interface CollectedMessage {
  id: string;
  source: string;
  records: readonly unknown[];
}

/** Takes the bad records of a message, by its place among the messages; awaited before anything is committed. */
export type Refuse = (place: number, bad: readonly BadRecord[]) => Promise<void>;
