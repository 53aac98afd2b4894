import type { LiftRequest } from '#contracts/modeling/lift-test.js';
import type { MixTrigger } from '#contracts/modeling/mix-run.js';
import type { ClaimedJob } from '#jobs/job-runner.js';

/** A claimed model run or lift test. */
export interface ModelingWork extends ClaimedJob {
  assetId: string;
  attempt: number;
}

export interface MixWork extends ModelingWork {
  target: string;
  trigger: MixTrigger;
  /** Whole weeks, `YYYY-MM-DD`; null: all complete weeks. */
  from: string | null;
  to: string | null;
  seed: number;
}

export interface LiftWork extends ModelingWork {
  metric: string;
  channels: string[];
  request: LiftRequest;
  seed: number;
}
