import type { Problem } from './errors.js';
import type { Permission, Restriction } from './permissions.js';

/** The services that write files; each reads its own `export.requested.<service>.v1`. */
export type ExportService = 'reporting' | 'integrity' | 'modeling';

interface ExportFileRule {
  service: ExportService;
  /** What reading the file needs, at its request and again at every download. */
  permission: Permission;
  /** Members with this restriction do not get the file at all. */
  refusedTo?: Restriction;
}

/** Every file that is exported, by its name in job rows. */
export const EXPORT_FILES = {
  channels: { service: 'reporting', permission: 'reports:read' },
  sources: { service: 'reporting', permission: 'reports:read' },
  geo: { service: 'reporting', permission: 'reports:read' },
  tech: { service: 'reporting', permission: 'reports:read' },
  overview: { service: 'reporting', permission: 'reports:read' },
  users: { service: 'reporting', permission: 'users:read' },
  'channels-advanced': { service: 'reporting', permission: 'reports:read' },
  'raw-events': { service: 'reporting', permission: 'events:read', refusedTo: 'raw_data' },
  'consent-records': { service: 'reporting', permission: 'consent:read' },
  'integrity-entity': { service: 'integrity', permission: 'integrity:read' },
  'refund-claim': { service: 'integrity', permission: 'integrity:read' },
  'google-ip-exclusions': { service: 'integrity', permission: 'integrity:read' },
  blocklist: { service: 'integrity', permission: 'integrity:read' },
  'meta-network-advisory': { service: 'integrity', permission: 'integrity:read' },
  'evidence-bundle': { service: 'integrity', permission: 'integrity:read' },
  'mmm-run': { service: 'modeling', permission: 'models:read' },
  'lift-test': { service: 'modeling', permission: 'models:read' },
} as const satisfies Record<string, ExportFileRule>;
export type ExportFile = keyof typeof EXPORT_FILES;

/** The names of general reports, in the order in which an unknown one is answered. */
export const REPORTS = ['channels', 'sources', 'geo', 'tech', 'overview', 'users'] as const;
export type Report = (typeof REPORTS)[number];

export type ExportFormat = 'csv' | 'json';

/** What a file is made of; kept in the job row, so that a service needs nothing else. */
export interface ExportParameters {
  /** Both inclusive, `YYYY-MM-DD`, days in the time zone of the asset. */
  from: string;
  to: string;
  format: ExportFormat;
  /** Absent: the default of the file. */
  bom?: boolean;
  /** false: `formulas=raw`. */
  escapeFormulas: boolean;
  /** The member carries the cost data restriction: cost columns are left out. */
  omitCost: boolean;
  /** Of the dispute file. */
  entityId?: string;
  /** Of the file of a model run. */
  runId?: string;
  /** Of the file of a lift test. */
  testId?: string;
  /** Rows of the block list, 1 to 5,000. */
  cap?: number;
  /** As they were at the request. */
  asset: { name: string; timezone: string; currency: string };
  /** `<service>` in file names. */
  serviceName: string;
}

export const EXPORT_STATUSES = ['queued', 'running', 'succeeded', 'failed'] as const;
export type ExportStatus = (typeof EXPORT_STATUSES)[number];

/** The export resource of the API. */
export interface ExportRecord {
  export_id: string;
  /** As requested, without the query. */
  path: string;
  /** The query as it was understood. */
  parameters: Record<string, string>;
  status: ExportStatus;
  requested_by: string;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  file: { name: string; bytes: number; sha256: string; rows: number; limit: number | null; truncated: number } | null;
  /** Made anew at each look, 5 minutes; null before the end and after 7 days. */
  download_url: string | null;
  error: Problem | null;
}

/** Days that a finished file is kept. */
export const EXPORT_FILE_DAYS = 7;
