import type { DataSource } from 'typeorm';
import type { Fence } from '#jobs/end-import.js';
import { JobStopped } from '#jobs/job-runner.js';
import { loggerFor } from '#runtime/logger.js';
import type { ImportWork } from './import-job.js';

const EVERY_MS = 1_000;
/** A file that is read within a second shall show that something happens, too. */
const FIRST_MS = 200;

/**
 * Tells the job row how far the reading is, at most once a second and on another connection than the import's own. The
 * same statement learns whether the job is still ours, so that a canceled import stops within about a second.
 */
export class ImportProgress {
  private readonly log = loggerFor('import');
  private last = Date.now() - EVERY_MS + FIRST_MS;
  private lost = false;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    private readonly work: ImportWork,
    private readonly fence: Fence,
  ) {}

  /** @throws JobStopped when the job was canceled, timed out or taken by another worker */
  async note(bytesRead: number, rowsRead: number): Promise<void> {
    if (this.lost) throw new JobStopped('lease_lost');
    if (Date.now() - this.last < EVERY_MS) return;
    this.last = Date.now();
    await this.writing;
    this.writing = this.write(bytesRead, rowsRead);
  }

  async settled(): Promise<void> {
    await this.writing;
  }

  /** Never backwards: a second attempt starts from the beginning, its progress does not. */
  private async write(bytesRead: number, rowsRead: number): Promise<void> {
    try {
      const [, updated] = await this.dataSource.query<[unknown, number]>(
        `UPDATE imports.job SET bytes_read = GREATEST(bytes_read, $4), rows_read = GREATEST(rows_read, $5)
          WHERE import_id = $1 AND locked_by = $2 AND attempt = $3 AND status = 'running'`,
        [this.work.id, this.fence.worker, this.fence.attempt, bytesRead, rowsRead],
      );
      if (updated !== 1) this.lost = true;
    } catch (error) {
      this.log.warn({ err: error }, 'could not write the progress');
    }
  }
}
