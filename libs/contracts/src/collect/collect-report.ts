import type { CollectIssue } from './collected.js';

/** Largest body of collected records, inflated. */
export const COLLECT_MAX_BYTES = 8 * 1024 * 1024;
/** A longer line is refused unread: nothing that a record may hold needs one. */
export const COLLECT_MAX_LINE_BYTES = 1024 * 1024;
/** `errors` of a report is cut at this many members. */
export const MAX_COLLECT_ERRORS = 1000;
export const COLLECT_MEDIA_TYPE = 'application/x-ndjson';

export const COLLECT_KINDS = ['events', 'consent', 'identities'] as const;
export type CollectKind = (typeof COLLECT_KINDS)[number];

export interface LineIssue extends CollectIssue {
  /** Physical line, the first is 1. */
  line: number;
}

/** What became of the lines of a body; empty lines are not counted. */
export interface CollectReport {
  accepted: number;
  rejected: number;
  /** Accepted records whose `ip` was none and is kept empty. */
  ip_dropped: number;
  /** One a rejected line, in their order, the first 1,000. */
  errors: LineIssue[];
}

/** How far reporting has come with what the gateway took. */
export interface CollectStatus {
  accepted: number;
  /** Records that reporting has finished with, duplicates and dead letters included. */
  processed: number;
  pending: number;
  /** RFC 3339; null before the first event is stored. */
  newest_event_time: string | null;
}
