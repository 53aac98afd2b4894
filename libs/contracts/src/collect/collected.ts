/** Records of one asset that a message holds at most; it stays under 500 KB too. */
export const MAX_RECORDS_IN_MESSAGE = 500;

/** Visitors are spread over this many buckets by a hash of their `distinct_id`; keys and writers' locks go by it. */
export const VISITOR_BUCKETS = 32;

/** Members of a list in a record, and UTF-16 units of all of them: so that a record always fits into a message. */
export const MAX_LIST_ENTRIES = 1000;
export const MAX_LIST_CHARACTERS = 32_768;

/** Why a collected record is refused, in the order in which a record is looked at. */
export const COLLECT_CODES = {
  invalid_json: 'The line is not JSON, or no object.',
  missing_field: 'A required field is absent, null or empty.',
  invalid_value: 'Not of its form, out of its range, or with NUL or lone surrogates.',
  field_too_long: 'More characters than the field may have.',
} as const;
export type CollectCode = keyof typeof COLLECT_CODES;

export interface CollectIssue {
  /** Empty when the record as a whole is meant. */
  field: string;
  code: CollectCode;
  message: string;
}

/** A record that may be stored, or the first reason (in field order) why not. */
export type CheckedRecord<T> = { record: T; ipDropped: boolean } | { issue: CollectIssue };

/** An event with every rule checked. Absent text is null, never empty. */
export interface EventRecord {
  event_id: string;
  /** RFC 3339 as sent. */
  event_time: string;
  /** Microseconds since 1970; digits beyond are cut. */
  time_us: number;
  event_type: string;
  distinct_id: string;
  event_name: string | null;
  global_user_id: string | null;
  page_host: string | null;
  page_path: string | null;
  ft_channel: string | null;
  ft_source: string | null;
  lt_channel: string | null;
  lt_channel_type: string | null;
  lt_source: string | null;
  lt_medium: string | null;
  lt_campaign: string | null;
  ip: string | null;
  geo_country: string | null;
  geo_region: string | null;
  geo_city: string | null;
  ua_browser: string | null;
  ua_os: string | null;
  /** Digits as sent; may be negative (a refund). */
  value: string | null;
  currency: string | null;
}

export interface ConsentRecord {
  consent_id: string;
  /** RFC 3339 as sent. */
  consent_at: string;
  action: string;
  accepted: string[];
  rejected: string[];
  mode: string | null;
  revision: string | null;
  config_version: string | null;
  locale: string | null;
  distinct_id: string | null;
  ip: string | null;
}

/** Members that are null or absent leave what is stored. */
export interface IdentityRecord {
  global_user_id: string;
  distinct_ids: string[];
  email: string | null;
  phone: string | null;
  crm_client_id: string | null;
  /** RFC 3339 as sent. */
  first_seen_at: string | null;
  identified_at: string | null;
}
