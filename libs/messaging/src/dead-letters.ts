/** A message that a consumer gave up, as an operator sees it. */
export interface DeadLetterItem {
  /** On Kafka `<topic>/<partition>/<offset>` of the dead-letter topic. */
  id: string;
  /** Where the message came from. */
  topic: string;
  /** `x-error-code`: `invalid_message`, `handler_failed`, … */
  code: string;
  /** The error in a sentence. */
  reason: string;
  /** The group that gave up. */
  consumer: string;
  key: string;
  value: string;
  /** RFC 3339. */
  failed_at: string;
}

export interface ReplayOptions {
  /** Only letters that came from this topic. */
  topic?: string;
  /** Only these, also when they were replayed before. */
  ids?: string[];
}

/** What `tallyport dlq` works on. */
export abstract class DeadLetters {
  /** Letters that were not replayed yet, newest first. */
  abstract list(options: { topic?: string; limit: number }): Promise<DeadLetterItem[]>;

  /**
   * Publishes letters to the topic they came from, where every consumer of the topic gets them again. A letter is
   * replayed once, unless its id is given.
   *
   * @returns how many
   * @throws Error when a given id does not exist
   */
  abstract replay(options: ReplayOptions): Promise<number>;

  /** Housekeeping: removes letters past their 30 days; returns how many. The broker does this by itself: 0. */
  abstract deleteOld(): Promise<number>;
}
