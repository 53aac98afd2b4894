import type { CheckedRecord, ConsentRecord, EventRecord, IdentityRecord } from '#contracts/collect/collected.js';
import type { CollectKind } from '#contracts/collect/collect-report.js';
import { readConsent } from '#contracts/collect/consent-record.js';
import { readEvent } from '#contracts/collect/event-record.js';
import { readIdentity } from '#contracts/collect/identity-record.js';
import { ConsentRecorded } from '#contracts/events/consent-recorded.js';
import { EventsCollected } from '#contracts/events/events-collected.js';
import { UsersIdentified } from '#contracts/events/users-identified.js';
import type { Topic } from '#contracts/topics.js';

/** A record as it travels: only the fields of the contract, as JSON without those that are undefined. */
export type SentRecord = object;

export interface CheckedLine {
  record: SentRecord;
  /** Whose records stay in order: the visitor, the person of an identity, or a consent decision of nobody known. */
  visitor: string;
  /** Of which the first record stays. */
  onceId: string | undefined;
  ipDropped: boolean;
}

/** What is collected: where it goes and how a record of it is read. */
export interface CollectedKind {
  topic: Topic;
  read(value: unknown, now: Date): CheckedLine | Extract<CheckedRecord<never>, { issue: unknown }>;
}

export const COLLECTED_KINDS: Record<CollectKind, CollectedKind> = {
  events: kind(
    EventsCollected.topic,
    readEvent,
    (event: EventRecord) => event.distinct_id,
    (event) => event.event_id,
  ),
  consent: kind(
    ConsentRecorded.topic,
    readConsent,
    (consent: ConsentRecord) => consent.distinct_id ?? consent.consent_id,
    (consent) => consent.consent_id,
  ),
  // By the person, since a later record of a person replaces what an earlier one named, and comes from any device.
  identities: kind(UsersIdentified.topic, readIdentity, (identity: IdentityRecord) => identity.global_user_id),
};

function kind<T extends object>(
  topic: Topic,
  read: (value: unknown, now: Date) => CheckedRecord<T>,
  visitorOf: (record: T) => string,
  onceIdOf: (record: T) => string | undefined = () => undefined,
): CollectedKind {
  return {
    topic,
    read(value, now) {
      const checked = read(value, now);
      if ('issue' in checked) return checked;
      const { record, ipDropped } = checked;
      return { visitor: visitorOf(record), onceId: onceIdOf(record), record: sent(record), ipDropped };
    },
  };
}

/**
 * What was made for the reader alone (`time_us`) and what is absent does not travel: the consumer reads the record anew.
 * Changed in place, which costs a fifth of a copy; JSON leaves out what is undefined.
 */
function sent(record: object): SentRecord {
  const fields = record as Record<string, unknown>;
  for (const field in fields) {
    const value = fields[field];
    if (value === null || typeof value === 'number') fields[field] = undefined;
  }
  return fields;
}
