import { problemOf, type Problem } from '#contracts/errors.js';
import { ExportCompleted } from '#contracts/events/export-completed.js';
import { ExportFailed } from '#contracts/events/export-failed.js';
import type { OutboxTransaction } from '#messaging/outbox.js';
import type { Fence } from './end-import.js';
import type { ExportWork } from './export-job.js';

/** A file that is in the object storage, as its job row tells of it. */
export interface StoredFile {
  key: string;
  name: string;
  contentType: string;
  bytes: number;
  sha256: string;
  etag: string;
  rows: number;
  limit: number | null;
  truncated: number;
  formulasEscaped: number;
  columnsOmitted: readonly string[];
  holdsCost: boolean;
}

const OURS = `export_id = $1 AND locked_by = $2 AND attempt = $3 AND status = 'running'`;
const ENDED = `finished_at = clock_timestamp(), locked_by = NULL, lease_until = NULL`;

/**
 * Ends an export with its file, and says so to the topic.
 *
 * @returns false when the job is no longer the one the fence names, or its time is up
 */
export async function completeExport(
  tx: OutboxTransaction,
  work: ExportWork,
  fence: Fence,
  file: StoredFile,
): Promise<boolean> {
  const [, ended] = await tx.manager.query<[unknown, number]>(
    `UPDATE exports.job SET status = 'succeeded', ${ENDED}, object_key = $4, file_name = $5, content_type = $6, bytes = $7,
            sha256 = $8, etag = $9, rows = $10, row_limit = $11, truncated = $12, formulas_escaped = $13, columns_omitted = $14,
            holds_cost = $15
      WHERE ${OURS} AND deadline_at > clock_timestamp()`,
    [
      work.id,
      fence.worker,
      fence.attempt,
      file.key,
      file.name,
      file.contentType,
      file.bytes,
      file.sha256,
      file.etag,
      file.rows,
      file.limit,
      file.truncated,
      file.formulasEscaped,
      file.columnsOmitted,
      file.holdsCost,
    ],
  );
  if (ended !== 1) return false;
  const event: ExportCompleted = {
    export_id: work.id,
    asset_id: work.assetId,
    file: work.file,
    requested_by: work.requestedBy,
    from: work.parameters.from,
    to: work.parameters.to,
    rows: file.rows,
    bytes: file.bytes,
    sha256: file.sha256,
    key: file.key,
  };
  tx.emit(ExportCompleted.topic, work.assetId, event);
  return true;
}

/** What a file would be, its cap taken into account. */
export interface EstimatedFile {
  rows: number;
  bytes: number;
  limit: number | null;
  truncated: number;
}

/** Ends an estimate; whoever asked looks at the row. The same return as `completeExport`. */
export async function completeEstimate(
  { manager }: Pick<OutboxTransaction, 'manager'>,
  work: ExportWork,
  fence: Fence,
  estimate: EstimatedFile,
): Promise<boolean> {
  const [, ended] = await manager.query<[unknown, number]>(
    `UPDATE exports.job SET status = 'succeeded', ${ENDED}, rows = $4, bytes = $5, row_limit = $6, truncated = $7 WHERE ${OURS}`,
    [work.id, fence.worker, fence.attempt, estimate.rows, estimate.bytes, estimate.limit, estimate.truncated],
  );
  return ended === 1;
}

/**
 * Ends an export without a file, and says so to the topic.
 *
 * @returns false when the job had ended already, or is no longer the one the fence names
 */
export async function failExport(
  tx: OutboxTransaction,
  exportId: string,
  problem: Problem,
  fence?: Fence,
): Promise<boolean> {
  const [rows] = await tx.manager.query<[{ asset_id: string; file: string }[], number]>(
    `UPDATE exports.job SET status = 'failed', ${ENDED}, error = $2
      WHERE export_id = $1 AND status IN ('queued', 'running') AND ($3::text IS NULL OR (locked_by = $3 AND attempt = $4))
      RETURNING asset_id, file`,
    [exportId, problem, fence?.worker ?? null, fence?.attempt ?? null],
  );
  const job = rows[0];
  if (job === undefined) return false;
  const data: ExportFailed = { export_id: exportId, asset_id: job.asset_id, file: job.file, code: problem.code };
  tx.emit(ExportFailed.topic, job.asset_id, data);
  return true;
}

/** The problem of an export that ran into its last deadline. */
export function exportTimeout(): Problem {
  return problemOf('export_timeout', 'The export was given up at its time limit.');
}
