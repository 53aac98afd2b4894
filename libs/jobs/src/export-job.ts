import type { ExportFile, ExportParameters } from '#contracts/exports.js';
import type { ClaimedJob } from './job-runner.js';

/** A claimed export with what its run needs. */
export interface ExportWork extends ClaimedJob {
  /** `estimate`: only what the file would be. */
  kind: 'file' | 'estimate';
  assetId: string;
  attempt: number;
  file: ExportFile;
  parameters: ExportParameters;
  requestedBy: string;
}
