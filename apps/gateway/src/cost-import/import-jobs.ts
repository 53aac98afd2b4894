import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { CostImportJob, CostImportReport, ImportFormat, ImportStatus } from '#contracts/cost-import.js';
import type { Problem } from '#contracts/errors.js';
import { CREATED_TEXT, pageOf, positionOf, type Page } from '../lists/paging.js';

export interface NewImport {
  importId: string;
  assetId: string;
  sync: boolean;
  format: ImportFormat;
  contentType: string;
  objectKey: string;
  bytes: number;
  sha256: string;
  requestedBy: string;
  traceparent: string;
  /** Absolute for sync imports; null: counted from the first start. */
  deadlineAt: Date | null;
  timeLimitMs: number;
}

interface JobRow {
  import_id: string;
  status: ImportStatus;
  outcome: CostImportJob['outcome'];
  bytes_read: string;
  rows_read: string;
  file_bytes: string;
  file_sha256: string;
  content_type: string;
  attempt: number;
  requested_by: string;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  error: Problem | null;
}

export type JobSummary = Omit<CostImportJob, 'report'>;

const SUMMARY = `import_id, status, outcome, bytes_read, rows_read, file_bytes, file_sha256, content_type, attempt, requested_by,
  created_at, started_at, finished_at, error`;

/** The job rows as the gateway needs them: created, looked at, listed. Workers do the rest. */
@Injectable()
export class ImportJobs {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** Imports of an asset are created one after the other: the order of their times is that in which workers see them. */
  async create(manager: EntityManager, job: NewImport): Promise<void> {
    await this.lockQueue(manager, job.assetId);
    await manager.query(
      `INSERT INTO imports.job (asset_id, import_id, sync, format, content_type, object_key, file_bytes, file_sha256, requested_by, traceparent, deadline_at, time_limit_ms)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        job.assetId,
        job.importId,
        job.sync,
        job.format,
        job.contentType,
        job.objectKey,
        job.bytes,
        job.sha256,
        job.requestedBy,
        job.traceparent,
        job.deadlineAt,
        job.timeLimitMs,
      ],
    );
  }

  /** Counts the waiting async imports of an asset while nobody else adds one. */
  async countQueued(manager: EntityManager, assetId: string): Promise<number> {
    await this.lockQueue(manager, assetId);
    return this.queued(assetId, manager);
  }

  private async lockQueue(manager: EntityManager, assetId: string): Promise<void> {
    await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`queue:${assetId}`]);
  }

  /** The same without a promise that it stays so. */
  async queued(assetId: string, manager = this.dataSource.manager): Promise<number> {
    const [row] = await manager.query<{ queued: number }[]>(
      `SELECT count(*)::int AS queued FROM imports.job WHERE asset_id = $1 AND status = 'queued' AND NOT sync`,
      [assetId],
    );
    return row?.queued ?? 0;
  }

  async find(assetId: string, importId: string): Promise<CostImportJob | undefined> {
    const [row] = await this.dataSource.query<(JobRow & { report: CostImportReport | null })[]>(
      `SELECT ${SUMMARY}, (SELECT report FROM imports.report r WHERE r.asset_id = j.asset_id AND r.import_id = j.import_id) AS report
         FROM imports.job j WHERE asset_id = $1 AND import_id = $2`,
      [assetId, importId],
    );
    return row === undefined ? undefined : { ...summary(row), report: row.report, error: row.error };
  }

  /** Newest first; never reads the reports. */
  async list(assetId: string, limit: number, cursor?: string): Promise<Page<JobSummary>> {
    const [time = null, id = null] = positionOf(cursor) ?? [];
    const rows = await this.dataSource.query<(JobRow & { created_text: string })[]>(
      `SELECT ${SUMMARY}, ${CREATED_TEXT} FROM imports.job
        WHERE asset_id = $1 AND ($2::timestamptz IS NULL OR (created_at, import_id) < ($2::timestamptz, $3::uuid))
        ORDER BY created_at DESC, import_id DESC LIMIT $4`,
      [assetId, time, id, limit + 1],
    );
    return pageOf(rows, limit, (row) => row.import_id, rows.slice(0, limit).map(summary));
  }
}

function summary(row: JobRow): JobSummary {
  const [bytesRead, bytesTotal] = [Number(row.bytes_read), Number(row.file_bytes)];
  return {
    import_id: row.import_id,
    status: row.status,
    outcome: row.outcome,
    progress: {
      bytes_read: bytesRead,
      bytes_total: bytesTotal,
      rows_read: Number(row.rows_read),
      percent: bytesTotal === 0 ? 0 : Math.floor((100 * bytesRead) / bytesTotal),
    },
    attempt: row.attempt,
    created_at: timestamp(row.created_at),
    started_at: row.started_at === null ? null : timestamp(row.started_at),
    finished_at: row.finished_at === null ? null : timestamp(row.finished_at),
    requested_by: row.requested_by,
    file: { bytes: bytesTotal, sha256: row.file_sha256, content_type: row.content_type },
    error: row.error,
  };
}

function timestamp(time: Date): string {
  return time.toISOString();
}
