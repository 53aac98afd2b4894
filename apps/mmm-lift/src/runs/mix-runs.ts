import { MmmRunCompleted } from '#contracts/events/mmm-run-completed.js';
import { nextTraceparent } from '#runtime/work-context.js';
import { ours, type JobKind } from './job-kind.js';
import type { MixWork } from './modeling-job.js';

interface MixRow {
  asset_id: string;
  run_id: string;
  attempt: number;
  target: string;
  trigger: MixWork['trigger'];
  asked_from: string | null;
  asked_to: string | null;
  seed: number;
  traceparent: string | null;
  deadline_at: Date;
}

/** Runs of the mix model. What was asked for comes before what runs by itself, and the latter not before its time. */
export const MIX_RUNS: JobKind<MixRow, MixWork> = {
  name: 'mmm',
  table: 'modeling.run',
  id: 'run_id',
  claim: (slot) => `
    UPDATE modeling.run SET status = 'running', locked_by = $1, lease_until = clock_timestamp() + $2 * interval '1 ms', attempt = attempt + 1,
           started_at = COALESCE(started_at, clock_timestamp()), deadline_at = clock_timestamp() + $3 * interval '1 ms'
     WHERE status = 'queued' AND (asset_id, run_id) = (
       SELECT asset_id, run_id FROM modeling.run
        WHERE status = 'queued' AND not_before <= clock_timestamp() ${slot === 'urgent' ? `AND trigger = 'request'` : ''}
        ORDER BY trigger = 'request' DESC, created_at, run_id LIMIT 1
        FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING asset_id, run_id, attempt, target, trigger, asked_from::text, asked_to::text, seed, traceparent, deadline_at`,
  workOf: (row) => ({
    id: row.run_id,
    assetId: row.asset_id,
    attempt: row.attempt,
    target: row.target,
    trigger: row.trigger,
    from: row.asked_from,
    to: row.asked_to,
    seed: row.seed,
    deadlineAt: row.deadline_at,
    context: {
      run_id: row.run_id,
      asset_id: row.asset_id,
      target: row.target,
      attempt: row.attempt,
      traceparent: row.traceparent ?? nextTraceparent(),
    },
  }),
  // Only one automatic run may be queued: when a later import has queued another meanwhile, that one does the work.
  giveBack: `
    UPDATE modeling.run job SET attempt = job.attempt - $4, locked_by = NULL, lease_until = NULL, deadline_at = NULL, same_as = later.run_id,
           status = CASE WHEN later.run_id IS NULL THEN 'queued' ELSE 'skipped' END,
           finished_at = CASE WHEN later.run_id IS NULL THEN NULL ELSE clock_timestamp() END
      FROM (SELECT asset_id, run_id, target, trigger FROM modeling.run
             WHERE ${ours('run_id')} AND (NOT $5::boolean OR lease_until < clock_timestamp()) FOR NO KEY UPDATE) held
      LEFT JOIN modeling.run later ON later.asset_id = held.asset_id AND later.target = held.target AND later.status = 'queued'
           AND later.trigger <> 'request' AND held.trigger <> 'request'
     WHERE job.asset_id = held.asset_id AND job.run_id = held.run_id`,
  failed: (row, code) => {
    const data: MmmRunCompleted = {
      asset_id: row.asset_id,
      run_id: row.id,
      target: row.target ?? '',
      status: 'failed',
      trust_tier: null,
      n_weeks: null,
      n_channels: null,
      error_code: code,
    };
    return { topic: MmmRunCompleted.topic, data };
  },
};
