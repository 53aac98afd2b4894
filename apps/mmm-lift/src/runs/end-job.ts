import type { RunError } from '#contracts/modeling/run-state.js';
import type { Fence } from '#jobs/end-import.js';
import type { OutboxTransaction } from '#messaging/outbox.js';
import { ours, type FailedRow, type JobKind } from './job-kind.js';
import type { ModelingWork } from './modeling-job.js';

/** Starts of one job before it is given up. */
export const MAX_ATTEMPTS = 3;

/**
 * Ends a running job without numbers, and says so to the topic.
 *
 * @returns false when the job had ended already, or is no longer the one the fence names
 */
export async function failJob<Row, Work extends ModelingWork>(
  tx: OutboxTransaction,
  kind: JobKind<Row, Work>,
  id: string,
  error: RunError,
  fence: Fence,
): Promise<boolean> {
  const [rows] = await tx.manager.query<[Omit<FailedRow, 'id'>[], number]>(
    `UPDATE ${kind.table} SET status = 'failed', error_code = $4, error = $5, finished_at = clock_timestamp(), locked_by = NULL, lease_until = NULL
      WHERE ${ours(kind.id)} RETURNING *`,
    [id, fence.worker, fence.attempt, error.code, JSON.stringify(error)],
  );
  const row = rows[0];
  if (row === undefined) return false;
  const { topic, data } = kind.failed({ ...row, id }, error.code);
  tx.emit(topic, row.asset_id, data);
  return true;
}
