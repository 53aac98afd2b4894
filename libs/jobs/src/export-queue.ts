import { hostname } from 'node:os';
import { v4 as uuidv4 } from 'uuid';
import { problemOf } from '#contracts/errors.js';
import type { ExportFile, ExportParameters } from '#contracts/exports.js';
import { loggerFor } from '#runtime/logger.js';
import { nextTraceparent } from '#runtime/work-context.js';
import type { Fence } from './end-import.js';
import { exportTimeout, failExport } from './end-export.js';
import type { ExportWork } from './export-job.js';
import type { JobQueue, Slot } from './job-runner.js';
import { runExport, type ExportParts } from './run-export.js';

/** Starts of one export before it is given up. */
const MAX_ATTEMPTS = 3;

interface ClaimedRow {
  export_id: string;
  asset_id: string;
  kind: ExportWork['kind'];
  attempt: number;
  file: ExportFile;
  parameters: ExportParameters;
  requested_by: string;
  traceparent: string | null;
  deadline_at: Date;
}

/** The statements on `exports.job` by which the instances of a service share its exports among them. */
export class ExportQueue implements JobQueue<ExportWork> {
  private readonly log = loggerFor('exports');
  private readonly worker = `${hostname()}-${process.pid}-${uuidv4().slice(0, 8)}`;
  private readonly files: ExportFile[];
  private readonly lightFiles: ExportFile[];

  constructor(
    private readonly parts: ExportParts,
    private readonly leaseMs: number,
  ) {
    this.files = [...parts.definitions.keys()];
    this.lightFiles = this.files.filter((file) => parts.definitions.get(file)?.heavy !== true);
  }

  /** What a client waits for comes first. An urgent slot takes only that, and of it only what is soon done. */
  async claim(slot: Slot): Promise<ExportWork | undefined> {
    const [rows] = await this.parts.dataSource.query<[ClaimedRow[], number]>(CLAIM, [
      this.worker,
      this.leaseMs,
      this.parts.service,
      this.files,
      slot === 'urgent',
      this.lightFiles,
    ]);
    return rows[0] === undefined ? undefined : workOf(rows[0]);
  }

  async renew(work: ExportWork): Promise<boolean> {
    const [, renewed] = await this.parts.dataSource.query<[unknown, number]>(
      `UPDATE exports.job SET lease_until = clock_timestamp() + $4 * interval '1 ms' WHERE ${OURS}`,
      [work.id, this.worker, work.attempt, this.leaseMs],
    );
    return renewed === 1;
  }

  /** Handed back on purpose: the start does not count. */
  async release(work: ExportWork): Promise<void> {
    await this.parts.dataSource.query(
      `UPDATE exports.job SET status = 'queued', attempt = attempt - 1, locked_by = NULL, lease_until = NULL WHERE ${OURS}`,
      [work.id, this.worker, work.attempt],
    );
  }

  async sweep(): Promise<void> {
    await this.parts.dataSource.query(
      `UPDATE exports.job SET status = 'queued', locked_by = NULL, lease_until = NULL
        WHERE service = $1 AND status = 'running' AND lease_until < clock_timestamp() AND attempt < $2 AND deadline_at > clock_timestamp()`,
      [this.parts.service, MAX_ATTEMPTS],
    );
    const hopeless = await this.parts.dataSource.query<{ export_id: string; late: boolean }[]>(
      `SELECT export_id, deadline_at <= clock_timestamp() AS late FROM exports.job
        WHERE service = $1 AND ((status = 'running' AND lease_until < clock_timestamp()) OR (status = 'queued' AND deadline_at <= clock_timestamp()))
        LIMIT 100`,
      [this.parts.service],
    );
    for (const { export_id: exportId, late } of hopeless) {
      this.log.error(
        { export_id: exportId, late },
        'an export is given up: its time is up, or each of its workers died',
      );
      await this.parts.outbox.transaction((tx) =>
        failExport(tx, exportId, late ? exportTimeout() : problemOf('internal')),
      );
    }
  }

  run(work: ExportWork, signal: AbortSignal): Promise<void> {
    return runExport(work, this.fence(work), this.parts, signal);
  }

  async timeOut(work: ExportWork): Promise<void> {
    await this.parts.outbox.transaction((tx) => failExport(tx, work.id, exportTimeout(), this.fence(work)));
  }

  /** Ended exports that are older than so many days, and estimates of yesterday. @returns how many were removed */
  async deleteOld(days: number): Promise<number> {
    const [, deleted] = await this.parts.dataSource.query<[unknown, number]>(
      `DELETE FROM exports.job
        WHERE service = $1 AND finished_at < clock_timestamp() - interval '1 day' * CASE kind WHEN 'estimate' THEN 1 ELSE $2::int END`,
      [this.parts.service, days],
    );
    return deleted;
  }

  private fence({ attempt }: ExportWork): Fence {
    return { worker: this.worker, attempt };
  }
}

const OURS = `export_id = $1 AND locked_by = $2 AND attempt = $3 AND status = 'running'`;

const CLAIM = `
  UPDATE exports.job SET status = 'running', locked_by = $1, lease_until = clock_timestamp() + $2 * interval '1 ms', attempt = attempt + 1,
         started_at = COALESCE(started_at, clock_timestamp())
   WHERE status = 'queued' AND (asset_id, export_id) = (
     SELECT asset_id, export_id FROM exports.job
      WHERE service = $3 AND status = 'queued' AND file = ANY($4) AND deadline_at > clock_timestamp()
        AND (NOT $5 OR (awaited AND (kind = 'estimate' OR file = ANY($6))))
      ORDER BY awaited DESC, created_at, export_id LIMIT 1
      FOR NO KEY UPDATE SKIP LOCKED)
  RETURNING export_id, asset_id, kind, attempt, file, parameters, requested_by, traceparent, deadline_at`;

function workOf(row: ClaimedRow): ExportWork {
  return {
    id: row.export_id,
    kind: row.kind,
    assetId: row.asset_id,
    attempt: row.attempt,
    file: row.file,
    parameters: row.parameters,
    requestedBy: row.requested_by,
    deadlineAt: row.deadline_at,
    context: {
      export_id: row.export_id,
      asset_id: row.asset_id,
      file: row.file,
      attempt: row.attempt,
      traceparent: row.traceparent ?? nextTraceparent(),
    },
  };
}
