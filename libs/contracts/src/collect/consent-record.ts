import type { CheckedRecord, ConsentRecord } from './collected.js';
import { isJsonObject, NO_OBJECT, RecordFields } from './record-fields.js';

/**
 * Checks a consent decision as a collector sent it, in the order of the contract. The limits of an event's time do not
 * hold for it; `now` is taken so that all readers are called alike. What it answers, it accepts again unchanged.
 */
export function readConsent(value: unknown, _now: Date): CheckedRecord<ConsentRecord> {
  if (!isJsonObject(value)) return NO_OBJECT;
  const fields = new RecordFields(value);
  return fields.end({
    consent_id: fields.required('consent_id'),
    consent_at: fields.requiredTime('consent_at'),
    action: fields.required('action'),
    accepted: fields.list('accepted'),
    rejected: fields.list('rejected'),
    mode: fields.optional('mode'),
    revision: fields.optional('revision'),
    config_version: fields.optional('config_version'),
    locale: fields.optional('locale'),
    distinct_id: fields.optional('distinct_id'),
    ip: fields.ip(),
  });
}
