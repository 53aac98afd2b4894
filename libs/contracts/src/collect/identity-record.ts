import type { CheckedRecord, IdentityRecord } from './collected.js';
import { isJsonObject, NO_OBJECT, RecordFields } from './record-fields.js';

/**
 * Checks who a visitor is, as a collector sent it, in the order of the contract. Its times may be of 1900 to 2100; `now`
 * is taken so that all readers are called alike. What it answers, it accepts again unchanged.
 */
export function readIdentity(value: unknown, _now: Date): CheckedRecord<IdentityRecord> {
  if (!isJsonObject(value)) return NO_OBJECT;
  const fields = new RecordFields(value);
  return fields.end({
    global_user_id: fields.required('global_user_id'),
    distinct_ids: fields.list('distinct_ids'),
    email: fields.optional('email'),
    phone: fields.optional('phone'),
    crm_client_id: fields.optional('crm_client_id'),
    first_seen_at: fields.optionalTime('first_seen_at'),
    identified_at: fields.optionalTime('identified_at'),
  });
}
