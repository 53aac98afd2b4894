import { hostname } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { v4 as uuidv4 } from 'uuid';
import { problemOf, type Problem } from '#contracts/errors.js';
import { endImport, importTimeout, type Fence } from '#jobs/end-import.js';
import { JobConfig } from '#jobs/job.config.js';
import type { JobQueue, Slot } from '#jobs/job-runner.js';
import { nextTraceparent } from '#runtime/work-context.js';
import type { ImportWork } from './import-job.js';
import { ImportsOutbox } from './imports-outbox.js';
import { RunImport } from './run-import.js';

/** Starts of one import before it is given up. */
const MAX_ATTEMPTS = 3;
const UNIQUE_VIOLATION = '23505';

interface ClaimedRow {
  import_id: string;
  asset_id: string;
  attempt: number;
  format: ImportWork['format'];
  object_key: string;
  file_bytes: string;
  file_sha256: string;
  traceparent: string | null;
  created_at: Date;
  deadline_at: Date;
}

/** The statements on `imports.job` by which workers share the imports among them. */
@Injectable()
export class ImportQueue implements JobQueue<ImportWork> {
  private readonly worker = `${hostname()}-${process.pid}-${uuidv4().slice(0, 8)}`;

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(ImportsOutbox) private readonly outbox: ImportsOutbox,
    @Inject(RunImport) private readonly runImport: RunImport,
    @Inject(JobConfig) private readonly config: JobConfig,
  ) {}

  /** One running import per asset, in order of arrival; between assets sync before async. */
  async claim(slot: Slot): Promise<ImportWork | undefined> {
    try {
      const [rows] = await this.dataSource.query<[ClaimedRow[], number]>(CLAIM, [
        this.worker,
        this.config.JOB_LEASE_MS,
        slot === 'urgent',
      ]);
      return rows[0] === undefined ? undefined : workOf(rows[0]);
    } catch (error) {
      // Another worker took an import of the same asset in the same instant.
      if ((error as { code?: string }).code === UNIQUE_VIOLATION) return undefined;
      throw error;
    }
  }

  async renew(work: ImportWork): Promise<boolean> {
    const [, renewed] = await this.dataSource.query<[unknown, number]>(
      `UPDATE imports.job SET lease_until = clock_timestamp() + $4 * interval '1 ms' WHERE ${OURS}`,
      [work.id, this.worker, work.attempt, this.config.JOB_LEASE_MS],
    );
    return renewed === 1;
  }

  /** Handed back on purpose: the start does not count. */
  async release(work: ImportWork): Promise<void> {
    await this.dataSource.query(
      `UPDATE imports.job SET status = 'queued', attempt = attempt - 1, locked_by = NULL, lease_until = NULL WHERE ${OURS}`,
      [work.id, this.worker, work.attempt],
    );
  }

  async sweep(): Promise<void> {
    await this.dataSource.query(
      `UPDATE imports.job SET status = 'queued', locked_by = NULL, lease_until = NULL
        WHERE status = 'running' AND lease_until < clock_timestamp() AND attempt < $1 AND deadline_at > clock_timestamp()`,
      [MAX_ATTEMPTS],
    );
    const hopeless = await this.dataSource.query<{ import_id: string; late: boolean }[]>(
      `SELECT import_id, deadline_at <= clock_timestamp() AS late FROM imports.job
        WHERE (status = 'running' AND lease_until < clock_timestamp()) OR (status = 'queued' AND deadline_at <= clock_timestamp()) LIMIT 100`,
    );
    for (const { import_id: importId, late } of hopeless) {
      await this.outbox.transaction(async (tx) => {
        await endImport(tx, importId, {
          status: 'failed',
          error: late ? await importTimeout(tx, importId) : workersDied(),
        });
      });
    }
  }

  async run(work: ImportWork, signal: AbortSignal): Promise<void> {
    await this.runImport.run(work, this.fence(work), signal);
  }

  async timeOut(work: ImportWork): Promise<void> {
    await this.outbox.transaction(async (tx) => {
      await endImport(tx, work.id, { status: 'failed', error: await importTimeout(tx, work.id) }, this.fence(work));
    });
  }

  private fence(work: ImportWork): Fence {
    return { worker: this.worker, attempt: work.attempt };
  }
}

const OURS = `import_id = $1 AND locked_by = $2 AND attempt = $3 AND status = 'running'`;

const CLAIM = `
  UPDATE imports.job SET status = 'running', locked_by = $1, lease_until = clock_timestamp() + $2 * interval '1 ms', attempt = attempt + 1,
         started_at = COALESCE(started_at, clock_timestamp()),
         deadline_at = COALESCE(deadline_at, clock_timestamp() + time_limit_ms * interval '1 ms')
   WHERE status = 'queued' AND (asset_id, import_id) = (
     SELECT j.asset_id, j.import_id FROM imports.job j
      WHERE j.status = 'queued' AND (j.sync OR NOT $3) AND (j.deadline_at IS NULL OR j.deadline_at > clock_timestamp())
        AND NOT EXISTS (
          SELECT 1 FROM imports.job e
           WHERE e.asset_id = j.asset_id AND e.import_id <> j.import_id AND e.status IN ('queued', 'running')
             AND (e.status = 'running' OR (e.created_at, e.import_id) < (j.created_at, j.import_id)))
      ORDER BY j.sync DESC, j.created_at, j.import_id LIMIT 1
      FOR NO KEY UPDATE SKIP LOCKED)
  RETURNING import_id, asset_id, attempt, format, object_key, file_bytes, file_sha256, traceparent, created_at, deadline_at`;

function workOf(row: ClaimedRow): ImportWork {
  return {
    id: row.import_id,
    assetId: row.asset_id,
    attempt: row.attempt,
    format: row.format,
    objectKey: row.object_key,
    bytes: Number(row.file_bytes),
    sha256: row.file_sha256,
    createdAt: row.created_at,
    deadlineAt: row.deadline_at,
    context: {
      import_id: row.import_id,
      asset_id: row.asset_id,
      attempt: row.attempt,
      traceparent: row.traceparent ?? nextTraceparent(),
    },
  };
}

function workersDied(): Problem {
  return problemOf('import_failed', `The import was started ${MAX_ATTEMPTS} times and its worker died each time.`, {
    nothing_written: true,
  });
}
