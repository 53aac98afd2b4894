import type { ConsentRecord, EventRecord, IdentityRecord } from '#contracts/collect/collected.js';

/** An event as a collector sends it: what it does not know is absent. */
export type ShopEvent = Pick<EventRecord, 'event_id' | 'event_time' | 'event_type' | 'distinct_id'> &
  Partial<Omit<EventRecord, 'time_us'>>;
export type ShopConsent = Pick<ConsentRecord, 'consent_id' | 'consent_at' | 'action'> & Partial<ConsentRecord>;
export type ShopIdentity = Pick<IdentityRecord, 'global_user_id'> & Partial<IdentityRecord>;

/** What is collected of the visits that begin on one day, each list by time. */
export interface DayRecords {
  /** `YYYY-MM-DD` in the shop's time zone. */
  day: string;
  events: ShopEvent[];
  consents: ShopConsent[];
  identities: ShopIdentity[];
}
