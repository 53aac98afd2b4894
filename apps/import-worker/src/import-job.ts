import type { ImportFormat } from '#contracts/cost-import.js';
import type { ClaimedJob } from '#jobs/job-runner.js';

/** A claimed import with what its run needs. */
export interface ImportWork extends ClaimedJob {
  assetId: string;
  attempt: number;
  format: ImportFormat;
  objectKey: string;
  bytes: number;
  sha256: string;
  createdAt: Date;
}
