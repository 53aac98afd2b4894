import type { RowIssue } from './row-codes.js';
import type { ImportOutcome } from './events/cost-import-completed.js';
import type { Problem } from './errors.js';

/** Largest body of a sync import, inflated. */
export const SYNC_IMPORT_MAX_BYTES = 8 * 1024 * 1024;
/** Largest body of an async import, inflated. */
export const ASYNC_IMPORT_MAX_BYTES = 64 * 1024 * 1024;
/** `errors` and `warnings` of a report are cut at this many members each. */
export const MAX_REPORTED_ISSUES = 1000;
/** Unicode code points of channel, source and campaign. */
export const MAX_TEXT_CHARACTERS = 256;
export const DEFAULT_CURRENCY = 'USD';

export const IMPORT_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

export type ImportFormat = 'csv' | 'json';

/** What became of a file: `total = inserted + updated + skipped`. */
export interface CostImportReport {
  ok: boolean;
  total: number;
  inserted: number;
  updated: number;
  skipped: number;
  imported_from: string | null;
  imported_to: string | null;
  errors: RowIssue[];
  warnings: RowIssue[];
  /** Before the cut at 1,000. */
  errors_total: number;
  warnings_total: number;
}

/** The job record as the API shows it. */
export interface CostImportJob {
  import_id: string;
  status: ImportStatus;
  outcome: ImportOutcome | null;
  progress: { bytes_read: number; bytes_total: number; rows_read: number; percent: number };
  attempt: number;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  /** Name of the principal. */
  requested_by: string;
  file: { bytes: number; sha256: string; content_type: string };
  report: CostImportReport | null;
  error: Problem | null;
}
