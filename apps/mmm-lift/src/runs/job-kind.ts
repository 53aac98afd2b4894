import type { Topic } from '#contracts/topics.js';
import type { RunErrorCode } from '#contracts/modeling/run-state.js';
import type { Slot } from '#jobs/job-runner.js';
import type { ModelingWork } from './modeling-job.js';

/** How rows of one table become jobs. The statements are constants; their parameters are said with each. */
export interface JobKind<Row, Work extends ModelingWork> {
  /** In metrics and logs. */
  name: 'mmm' | 'lift';
  table: 'modeling.run' | 'modeling.lift_test';
  id: 'run_id' | 'test_id';
  /** Takes a job that the slot may run: worker, lease in ms, time limit in ms. */
  claim(slot: Slot): string;
  workOf(row: Row): Work;
  /**
   * Hands a running job back: id, worker, attempt, how many starts are taken back, whether only with an expired lease.
   */
  giveBack: string;
  /** The event that says that a job has failed. */
  failed(row: FailedRow, code: RunErrorCode): { topic: Topic; data: object };
}

/** What is known of a job that failed; the columns that its table has. */
export interface FailedRow {
  id: string;
  asset_id: string;
  target?: string;
  metric?: string;
  channels?: string[];
}

/** The worker and attempt that must still own the job; a stale one ends nothing. Parameters: id, worker, attempt. */
export function ours(id: string): string {
  return `${id} = $1 AND locked_by = $2 AND attempt = $3 AND status = 'running'`;
}
