import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Problem } from '#contracts/errors.js';
import { EXPORT_FILES, type ExportFile, type ExportParameters, type ExportStatus } from '#contracts/exports.js';
import { CREATED_TEXT, pageOf, positionOf, type Page } from '../lists/paging.js';

export interface NewExport {
  exportId: string;
  kind: 'file' | 'estimate';
  assetId: string;
  file: ExportFile;
  /** Of the request, without the query. */
  path: string;
  /** The query as it was understood. */
  query: Record<string, string>;
  parameters: ExportParameters;
  /** A client waits for it. */
  awaited: boolean;
  requestedBy: string;
  traceparent: string;
  deadlineAt: Date;
}

/** What a service has told of a file that is there. */
export interface ExportedFile {
  objectKey: string;
  name: string;
  contentType: string;
  bytes: number;
  /** In hex. */
  sha256: string;
  etag: string;
  rows: number;
  limit: number | null;
  truncated: number;
  formulasEscaped: number;
  columnsOmitted: readonly string[];
}

/** A job row. */
export interface ExportJob {
  exportId: string;
  assetId: string;
  file: ExportFile;
  path: string;
  query: Record<string, string>;
  parameters: ExportParameters;
  status: ExportStatus;
  requestedBy: string;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  holdsCost: boolean;
  /** Of an export that succeeded. */
  result: ExportedFile | null;
  /** Of an export that failed. */
  error: Problem | null;
}

/** Rows, bytes and cap of a file that was not written. */
export type Estimate = Pick<ExportedFile, 'rows' | 'bytes' | 'limit' | 'truncated'>;

interface JobRow {
  export_id: string;
  asset_id: string;
  file: ExportFile;
  path: string;
  query: Record<string, string>;
  parameters: ExportParameters;
  status: ExportStatus;
  requested_by: string;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  holds_cost: boolean;
  object_key: string | null;
  file_name: string | null;
  content_type: string | null;
  bytes: string | null;
  sha256: string | null;
  etag: string | null;
  rows: string | null;
  row_limit: string | null;
  truncated: string | null;
  formulas_escaped: string | null;
  columns_omitted: string[] | null;
  error: Problem | null;
}

const COLUMNS = `export_id, asset_id, file, path, query, parameters, status, requested_by, created_at, started_at, finished_at, holds_cost,
  object_key, file_name, content_type, bytes, sha256, etag, rows, row_limit, truncated, formulas_escaped, columns_omitted, error`;

/** The job rows as the gateway needs them: created, looked at, listed. The service of the file does the rest. */
@Injectable()
export class ExportJobs {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  async create(manager: EntityManager, job: NewExport): Promise<void> {
    await manager.query(
      `INSERT INTO exports.job (asset_id, export_id, kind, service, file, path, query, parameters, awaited, requested_by, traceparent, deadline_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        job.assetId,
        job.exportId,
        job.kind,
        EXPORT_FILES[job.file].service,
        job.file,
        job.path,
        job.query,
        job.parameters,
        job.awaited,
        job.requestedBy,
        job.traceparent,
        job.deadlineAt,
      ],
    );
  }

  /** Nobody waits for it any more: others go first. */
  async demote(assetId: string, exportId: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE exports.job SET awaited = false WHERE asset_id = $1 AND export_id = $2 AND status = 'queued'`,
      [assetId, exportId],
    );
  }

  async find(assetId: string, exportId: string): Promise<ExportJob | undefined> {
    const [row] = await this.dataSource.query<JobRow[]>(
      `SELECT ${COLUMNS} FROM exports.job WHERE asset_id = $1 AND export_id = $2 AND kind = 'file'`,
      [assetId, exportId],
    );
    return row && jobOf(row);
  }

  /** Exports of these files, newest first. */
  async list(assetId: string, files: readonly ExportFile[], limit: number, cursor?: string): Promise<Page<ExportJob>> {
    const [time = null, id = null] = positionOf(cursor) ?? [];
    const rows = await this.dataSource.query<(JobRow & { created_text: string })[]>(
      `SELECT ${COLUMNS}, ${CREATED_TEXT} FROM exports.job
        WHERE asset_id = $1 AND kind = 'file' AND file = ANY($2)
          AND ($3::timestamptz IS NULL OR (created_at, export_id) < ($3::timestamptz, $4::uuid))
        ORDER BY created_at DESC, export_id DESC LIMIT $5`,
      [assetId, files, time, id, limit + 1],
    );
    return pageOf(rows, limit, (row) => row.export_id, rows.slice(0, limit).map(jobOf));
  }

  /** Of an estimate that has ended: what it says, or the problem that it met. */
  async estimate(assetId: string, exportId: string): Promise<Estimate | Problem | undefined> {
    const [row] = await this.dataSource.query<
      Pick<JobRow, 'status' | 'bytes' | 'rows' | 'row_limit' | 'truncated' | 'error'>[]
    >(
      `SELECT status, bytes, rows, row_limit, truncated, error FROM exports.job WHERE asset_id = $1 AND export_id = $2 AND kind = 'estimate'`,
      [assetId, exportId],
    );
    if (row?.status === 'failed' && row.error !== null) return row.error;
    return row?.status === 'succeeded' ? estimateOf(row) : undefined;
  }
}

function jobOf(row: JobRow): ExportJob {
  return {
    exportId: row.export_id,
    assetId: row.asset_id,
    file: row.file,
    path: row.path,
    query: row.query,
    parameters: row.parameters,
    status: row.status,
    requestedBy: row.requested_by,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    holdsCost: row.holds_cost,
    result: row.status === 'succeeded' ? resultOf(row) : null,
    error: row.error,
  };
}

function resultOf(row: JobRow): ExportedFile {
  return {
    ...estimateOf(row),
    objectKey: row.object_key ?? '',
    name: row.file_name ?? '',
    contentType: row.content_type ?? '',
    sha256: row.sha256 ?? '',
    etag: row.etag ?? '',
    formulasEscaped: Number(row.formulas_escaped),
    columnsOmitted: row.columns_omitted ?? [],
  };
}

function estimateOf(row: Pick<JobRow, 'bytes' | 'rows' | 'row_limit' | 'truncated'>): Estimate {
  return {
    rows: Number(row.rows),
    bytes: Number(row.bytes),
    limit: row.row_limit === null ? null : Number(row.row_limit),
    truncated: Number(row.truncated),
  };
}
