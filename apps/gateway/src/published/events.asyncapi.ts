import { CostImportCompleted } from '#contracts/events/cost-import-completed.js';
import { CostImportFailed } from '#contracts/events/cost-import-failed.js';
import { CostImportRequested } from '#contracts/events/cost-import-requested.js';
import { ExportCompleted } from '#contracts/events/export-completed.js';
import { ExportFailed } from '#contracts/events/export-failed.js';
import { ExportRequestedIntegrity } from '#contracts/events/export-requested-integrity.js';
import { ExportRequestedModeling } from '#contracts/events/export-requested-modeling.js';
import { ExportRequestedReporting } from '#contracts/events/export-requested-reporting.js';
import { IntegrityCheckpointSigned } from '#contracts/events/integrity-checkpoint-signed.js';
import { IntegrityVerdictChanged } from '#contracts/events/integrity-verdict-changed.js';
import type { Topic } from '#contracts/topics.js';
import { COLLECTED_EVENTS } from './collected-events.asyncapi.js';
import { event, EXAMPLE_ASSET, type AnyEvent } from './event-text.asyncapi.js';
import { MODELING_EVENTS } from './modeling-events.asyncapi.js';

const IMPORT_ID = '019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10';
const EXPORT_ID = '019aa1c3-1b2d-7c4e-9f10-2a3b4c5d6e7f';

/** The compiler sees that every topic has an entry. */
export const EVENTS: Record<Topic, AnyEvent> = {
  'cost-import.requested.v1': event({
    type: CostImportRequested,
    from: ['gateway'],
    to: ['import-worker'],
    descriptions: { import_id: 'The job, which is there already.', asset_id: 'Whose costs.' },
    example: { import_id: IMPORT_ID, asset_id: EXAMPLE_ASSET },
  }),
  'cost-import.completed.v1': event({
    type: CostImportCompleted,
    from: ['import-worker'],
    to: ['gateway', 'integrity', 'mmm-lift'],
    descriptions: {
      total: 'inserted + updated + skipped',
      updated: 'Rows with the key of a stored or an earlier row; includes equal ones.',
      skipped: 'Rejected rows.',
      changed: 'Stored rows that really differ from before: 0 when the same file came again.',
      imported_from: 'Earliest imported date; null when no row was imported.',
      imported_to: 'Latest imported date; null when no row was imported.',
      channels: 'Channels of imported rows as written in the file, sorted, cut at 1,000.',
      channels_truncated: 'There were more channels.',
      weeks: 'Runs of weeks with imported rows, both ends inclusive, each week named by its Sunday.',
      file: 'The uploaded file in the object store; sha256 is of the inflated bytes.',
    },
    example: {
      import_id: IMPORT_ID,
      asset_id: EXAMPLE_ASSET,
      outcome: 'clean',
      total: 2,
      inserted: 2,
      updated: 0,
      skipped: 0,
      changed: 2,
      imported_from: '2026-01-04',
      imported_to: '2026-01-04',
      channels: ['Google Ads', 'Meta Ads'],
      channels_truncated: false,
      weeks: [{ from: '2026-01-04', to: '2026-01-04' }],
      file: {
        key: `imports/${EXAMPLE_ASSET}/${IMPORT_ID}/upload.csv`,
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      },
    },
  }),
  'cost-import.failed.v1': event({
    type: CostImportFailed,
    from: ['import-worker', 'gateway'],
    to: ['gateway'],
    descriptions: { status: 'Why nothing was written.', code: 'The code of the problem; null when canceled.' },
    example: { import_id: IMPORT_ID, asset_id: EXAMPLE_ASSET, status: 'failed', code: 'malformed_csv' },
  }),
  'export.requested.reporting.v1': event({
    type: ExportRequestedReporting,
    from: ['gateway'],
    to: ['reporting'],
    descriptions: { export_id: 'The job, which is there already.', asset_id: 'Whose data.' },
    example: { export_id: EXPORT_ID, asset_id: EXAMPLE_ASSET },
  }),
  'export.requested.integrity.v1': event({
    type: ExportRequestedIntegrity,
    from: ['gateway'],
    to: ['integrity'],
    descriptions: { export_id: 'The job, which is there already.', asset_id: 'Whose data.' },
    example: { export_id: EXPORT_ID, asset_id: EXAMPLE_ASSET },
  }),
  'export.requested.modeling.v1': event({
    type: ExportRequestedModeling,
    from: ['gateway'],
    to: ['mmm-lift'],
    descriptions: { export_id: 'The job, which is there already.', asset_id: 'Whose data.' },
    example: { export_id: EXPORT_ID, asset_id: EXAMPLE_ASSET },
  }),
  'export.completed.v1': event({
    type: ExportCompleted,
    from: ['reporting', 'integrity', 'mmm-lift'],
    to: ['gateway'],
    descriptions: {
      file: 'Which file: `channels`, `raw-events`, …',
      requested_by: 'Name of the principal.',
      from: 'First day, in the time zone of the asset.',
      to: 'Last day.',
      rows: 'Data rows in the file.',
      sha256: 'Of the file, in hex.',
      key: 'In the object storage.',
    },
    example: {
      export_id: EXPORT_ID,
      asset_id: EXAMPLE_ASSET,
      file: 'channels',
      requested_by: 'owner',
      from: '2026-01-01',
      to: '2026-01-30',
      rows: 12,
      bytes: 901,
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      key: `exports/${EXAMPLE_ASSET}/${EXPORT_ID}/tallyport-channels-2026-01-01_2026-01-30.csv`,
    },
  }),
  'export.failed.v1': event({
    type: ExportFailed,
    from: ['reporting', 'integrity', 'mmm-lift'],
    to: ['gateway'],
    descriptions: { file: 'Which file.', code: "The problem's code." },
    example: { export_id: EXPORT_ID, asset_id: EXAMPLE_ASSET, file: 'raw-events', code: 'export_timeout' },
  }),
  'integrity.verdict-changed.v1': event({
    type: IntegrityVerdictChanged,
    from: ['integrity'],
    to: [],
    descriptions: {
      entity_id: 'As in `GET /api/v1/integrity/entities`.',
      cidr: 'Of networks and hosts, else null.',
      asn: 'Null when it is not known.',
      p: 'Score of the strongest window, four decimals.',
      window_from: 'First local day of that window.',
      window_to: 'Last local day.',
      ledger_seq: "The entry in the asset's evidence ledger.",
    },
    example: {
      asset_id: EXAMPLE_ASSET,
      entity_id: 'net-203.0.113.0-24',
      entity_type: 'network',
      cidr: '203.0.113.0/24',
      asn: 24940,
      network_type: 'hosting',
      old_severity: 'suspected',
      new_severity: 'confirmed',
      ivt_class: 'SIVT',
      p: '0.9731',
      window_from: '2026-09-03',
      window_to: '2026-09-09',
      ledger_seq: 412,
    },
  }),
  'integrity.checkpoint-signed.v1': event({
    type: IntegrityCheckpointSigned,
    from: ['integrity'],
    to: [],
    descriptions: {
      size: 'Entries that it covers.',
      root: 'RFC 6962 root, in hex.',
      note: 'The signed note, as C2SP tlog-checkpoint.',
      key: 'In the object storage.',
    },
    example: {
      asset_id: EXAMPLE_ASSET,
      size: 412,
      root: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      note: `tallyport/integrity/${EXAMPLE_ASSET}\n412\nn4bQgYhMfWWaL+qgxVrVo08b8+tBLg0GjNfHHaE1nv4=\n\n— …\n`,
      key: `checkpoints/${EXAMPLE_ASSET}/412.txt`,
    },
  }),
  ...COLLECTED_EVENTS,
  ...MODELING_EVENTS,
};
