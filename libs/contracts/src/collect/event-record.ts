import type { CheckedRecord, EventRecord } from './collected.js';
import { isJsonObject, NO_OBJECT, RecordFields } from './record-fields.js';

const MAX_ID_CHARACTERS = 64;
const MAX_TYPE_CHARACTERS = 64;
const MAX_PATH_CHARACTERS = 2048;

const DAY_US = 86_400_000_000;
const MAX_AGE_YEARS = 10;
/** Younger than this is young enough, whatever the calendar says. */
const SURELY_YOUNG_US = 3650 * DAY_US;

/**
 * Checks an event as a collector sent it. Fields are looked at in the order of the contract's table; unknown ones are
 * ignored. What it answers, it accepts again unchanged.
 *
 * @param now when the record was received: its time may lie 24 hours ahead of it and ten calendar years behind
 */
export function readEvent(value: unknown, now: Date): CheckedRecord<EventRecord> {
  if (!isJsonObject(value)) return NO_OBJECT;
  const fields = new RecordFields(value);
  const event_id = fields.required('event_id', MAX_ID_CHARACTERS);
  const event_time = fields.required('event_time');
  const time_us = fields.instant('event_time', event_time);
  checkAge(fields, time_us, now);
  return fields.end({
    event_id,
    event_time,
    time_us,
    event_type: fields.required('event_type', MAX_TYPE_CHARACTERS),
    distinct_id: fields.required('distinct_id'),
    event_name: fields.optional('event_name'),
    global_user_id: fields.optional('global_user_id'),
    page_host: fields.optional('page_host'),
    page_path: fields.optional('page_path', MAX_PATH_CHARACTERS),
    ft_channel: fields.optional('ft_channel'),
    ft_source: fields.optional('ft_source'),
    lt_channel: fields.optional('lt_channel'),
    lt_channel_type: fields.optional('lt_channel_type'),
    lt_source: fields.optional('lt_source'),
    lt_medium: fields.optional('lt_medium'),
    lt_campaign: fields.optional('lt_campaign'),
    ip: fields.ip(),
    geo_country: fields.optional('geo_country'),
    geo_region: fields.optional('geo_region'),
    geo_city: fields.optional('geo_city'),
    ua_browser: fields.optional('ua_browser'),
    ua_os: fields.optional('ua_os'),
    value: fields.money('value'),
    currency: fields.currency('currency'),
  });
}

function checkAge(fields: RecordFields, timeUs: number, now: Date): void {
  const ageUs = now.getTime() * 1000 - timeUs;
  if (ageUs < -DAY_US) fields.refuse('event_time', 'invalid_value', 'event_time is more than 24 hours ahead.');
  if (ageUs <= SURELY_YOUNG_US) return;
  const oldest = new Date(now);
  oldest.setUTCFullYear(now.getUTCFullYear() - MAX_AGE_YEARS);
  if (timeUs < oldest.getTime() * 1000)
    fields.refuse('event_time', 'invalid_value', `event_time is more than ${MAX_AGE_YEARS} years old.`);
}
