import { LiftTestCompleted } from '#contracts/events/lift-test-completed.js';
import { nextTraceparent } from '#runtime/work-context.js';
import { ours, type JobKind } from './job-kind.js';
import type { LiftWork } from './modeling-job.js';

interface LiftRow {
  asset_id: string;
  test_id: string;
  attempt: number;
  metric: string;
  channels: string[];
  request: LiftWork['request'];
  seed: number;
  traceparent: string | null;
  deadline_at: Date;
}

/** Lift tests: `scheduled` ones are taken once their window is over. Somebody asked for each. */
export const LIFT_TESTS: JobKind<LiftRow, LiftWork> = {
  name: 'lift',
  table: 'modeling.lift_test',
  id: 'test_id',
  claim: () => `
    UPDATE modeling.lift_test SET status = 'running', locked_by = $1, lease_until = clock_timestamp() + $2 * interval '1 ms', attempt = attempt + 1,
           started_at = COALESCE(started_at, clock_timestamp()), deadline_at = clock_timestamp() + $3 * interval '1 ms'
     WHERE status IN ('scheduled', 'queued') AND (asset_id, test_id) = (
       SELECT asset_id, test_id FROM modeling.lift_test
        WHERE status IN ('scheduled', 'queued') AND not_before <= clock_timestamp()
        ORDER BY not_before, created_at, test_id LIMIT 1
        FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING asset_id, test_id, attempt, metric, channels, request, seed, traceparent, deadline_at`,
  workOf: (row) => ({
    id: row.test_id,
    assetId: row.asset_id,
    attempt: row.attempt,
    metric: row.metric,
    channels: row.channels,
    request: row.request,
    seed: row.seed,
    deadlineAt: row.deadline_at,
    context: {
      test_id: row.test_id,
      asset_id: row.asset_id,
      metric: row.metric,
      attempt: row.attempt,
      traceparent: row.traceparent ?? nextTraceparent(),
    },
  }),
  giveBack: `
    UPDATE modeling.lift_test SET status = 'queued', attempt = attempt - $4, locked_by = NULL, lease_until = NULL, deadline_at = NULL
     WHERE ${ours('test_id')} AND (NOT $5::boolean OR lease_until < clock_timestamp())`,
  failed: (row, code) => {
    const data: LiftTestCompleted = {
      asset_id: row.asset_id,
      test_id: row.id,
      metric: row.metric ?? '',
      channels: row.channels ?? [],
      status: 'failed',
      trust_tier: null,
      error_code: code,
    };
    return { topic: LiftTestCompleted.topic, data };
  },
};
