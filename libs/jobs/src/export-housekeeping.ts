import { Housekeeping, type Chores } from './housekeeping.js';
import type { HousekeepingConfig } from './housekeeping.config.js';
import type { ExportConfig } from './export.config.js';
import type { ExportRunner } from './export-runner.js';

/** Removes the records of exports that have outlived their days. The files expire in the object storage. */
export class ExportHousekeeping extends Housekeeping {
  protected readonly chores: Chores;

  constructor({ queue }: ExportRunner, { EXPORT_JOB_DAYS }: ExportConfig, config: HousekeepingConfig) {
    super(config.HOUSEKEEPING_INTERVAL_MS);
    this.chores = { 'ended exports': () => queue.deleteOld(EXPORT_JOB_DAYS) };
  }
}
