import { CostImportFailed } from '#contracts/events/cost-import-failed.js';
import type { Problem } from '#contracts/errors.js';
import { problemOf } from '#contracts/errors.js';
import type { OutboxTransaction } from '#messaging/outbox.js';

/** The worker and attempt that must still own the job; a stale one ends nothing. */
export interface Fence {
  worker: string;
  attempt: number;
}

/**
 * Ends an import that wrote nothing, and says so to the topic.
 *
 * @returns false when the job had ended already, or is no longer the one the fence names
 */
export async function endImport(
  tx: OutboxTransaction,
  importId: string,
  end: { status: 'canceled' } | { status: 'failed'; error: Problem },
  fence?: Fence,
): Promise<boolean> {
  const error = end.status === 'failed' ? end.error : null;
  const [rows] = await tx.manager.query<[{ asset_id: string }[], number]>(
    `UPDATE imports.job SET status = $2, error = $3, finished_at = clock_timestamp(), locked_by = NULL, lease_until = NULL
      WHERE import_id = $1 AND status IN ('queued', 'running') AND ($4::text IS NULL OR (locked_by = $4 AND attempt = $5))
      RETURNING asset_id`,
    [importId, end.status, error, fence?.worker ?? null, fence?.attempt ?? null],
  );
  const job = rows[0];
  if (job === undefined) return false;
  const data: CostImportFailed = {
    import_id: importId,
    asset_id: job.asset_id,
    status: end.status,
    code: error?.code ?? null,
  };
  tx.emit(CostImportFailed.topic, job.asset_id, data);
  return true;
}

/** The problem of an import that ran out of time, naming the other import of the asset that was in its way, if any. */
export async function importTimeout(tx: Pick<OutboxTransaction, 'manager'>, importId: string): Promise<Problem> {
  const blocking = await tx.manager.query<{ import_id: string }[]>(
    `SELECT other.import_id FROM imports.job j JOIN imports.job other
         ON other.asset_id = j.asset_id AND other.import_id <> j.import_id AND other.status IN ('queued', 'running')
      WHERE j.import_id = $1 AND j.status = 'queued'
        AND (other.status = 'running' OR (other.created_at, other.import_id) < (j.created_at, j.import_id))
      ORDER BY other.status = 'running' DESC, other.created_at, other.import_id LIMIT 1`,
    [importId],
  );
  const blockedBy = blocking[0]?.import_id;
  return problemOf(
    'import_timeout',
    blockedBy === undefined
      ? 'The import was rolled back at its time limit.'
      : 'Another import of the asset was in the way until the time limit.',
    {
      nothing_written: true,
      ...(blockedBy === undefined ? {} : { blocked_by: blockedBy }),
    },
  );
}
