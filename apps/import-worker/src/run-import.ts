import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { InputFileError } from '#csv/csv-error.js';
import { channelMapping } from '#contracts/channels/classify-channel.js';
import { ASYNC_IMPORT_MAX_BYTES, type CostImportReport } from '#contracts/cost-import.js';
import { AppError, problemOf, type Problem } from '#contracts/errors.js';
import { localDay } from '#contracts/local-day.js';
import { CostImportCompleted } from '#contracts/events/cost-import-completed.js';
import { endImport, type Fence } from '#jobs/end-import.js';
import { JobConfig } from '#jobs/job.config.js';
import { JobStopped } from '#jobs/job-runner.js';
import type { OutboxTransaction } from '#messaging/outbox.js';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { loggerFor } from '#runtime/logger.js';
import { durationHistogram, counter } from '#runtime/metrics.js';
import { ObjectNotFoundError, ObjectStore } from '#storage/object-store.js';
import { CostRowRules } from './cost-row.js';
import { CostTableWriter } from './cost-table.js';
import { ImportFindings } from './import-findings.js';
import type { ImportWork } from './import-job.js';
import { ImportProgress } from './import-progress.js';
import { ImportsOutbox } from './imports-outbox.js';
import { readCostRows } from './read-cost-rows.js';

const duration = durationHistogram({
  name: 'tallyport_import_duration_seconds',
  help: 'Time from claim to end of an import',
  labelNames: ['status'],
});
const rows = counter({
  name: 'tallyport_import_rows_total',
  help: 'Rows of committed imports by result',
  labelNames: ['result'],
});

/** One import: open → read → check → copy → write → report, all in one transaction that commits only while the job is ours. */
@Injectable()
export class RunImport {
  private readonly log = loggerFor('import');

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(ImportsOutbox) private readonly outbox: ImportsOutbox,
    @Inject(ObjectStore) private readonly objects: ObjectStore,
    @Inject(JobConfig) private readonly jobs: JobConfig,
  ) {}

  /** Ends the job, unless it is stopped or a dependency is away: those are thrown, and nothing is written. */
  async run(work: ImportWork, fence: Fence, signal: AbortSignal): Promise<void> {
    const observe = duration.startTimer();
    try {
      const report = await this.outbox.transaction((tx) => this.importFile(tx, work, fence, signal));
      for (const result of ['inserted', 'updated', 'skipped'] as const) rows.inc({ result }, report[result]);
      observe({ status: 'succeeded' });
    } catch (error) {
      if (signal.aborted || error instanceof JobStopped || isDependencyAway(error)) throw error;
      await this.fail(work, fence, error);
      observe({ status: 'failed' });
    }
  }

  private async importFile(
    tx: OutboxTransaction,
    work: ImportWork,
    fence: Fence,
    signal: AbortSignal,
  ): Promise<CostImportReport> {
    const rules = new CostRowRules(...(await this.rulesFor(work)));
    const file = await this.objects.get(work.objectKey, { signal });
    const table = await CostTableWriter.open(tx.queryRunner, work.assetId, work.id, this.jobs.JOB_LEASE_MS);
    const progress = new ImportProgress(this.dataSource, work, fence);
    const findings = new ImportFindings();
    const abort = (): void => {
      table.abort(signal.reason as Error);
      this.dataSource.query('SELECT pg_cancel_backend($1)', [table.backend]).catch((error: unknown) => {
        this.log.warn({ err: error }, 'could not cancel the statement of a stopped import');
      });
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      for await (const batch of readCostRows(verified(file, work), work.format)) {
        signal.throwIfAborted();
        for (const row of batch.rows) {
          const checked = rules.check(row.cells);
          if (checked.row === null) findings.reject(row, checked.errors);
          else {
            findings.accept(row, checked.row, checked.warnings);
            table.add(checked.row, row.line);
          }
        }
        await table.flush();
        await progress.note(batch.bytesRead, findings.rows);
      }
      if (findings.rows === 0) throw new AppError('empty_file', 'The file has no row to import.');
      const { inserted, changed } = await table.write();
      return await this.complete(tx, work, fence, findings, inserted, changed);
    } catch (error) {
      table.abort(error as Error);
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
      file.destroy();
      await progress.settled();
    }
  }

  private async rulesFor(work: ImportWork): Promise<ConstructorParameters<typeof CostRowRules>> {
    const [assets, mapped] = await Promise.all([
      this.dataSource.query<{ timezone: string }[]>('SELECT timezone FROM access.asset WHERE asset_id = $1', [
        work.assetId,
      ]),
      this.dataSource.query<{ name: string; family: string }[]>(
        'SELECT name, family FROM imports.channel_mapping WHERE asset_id = $1',
        [work.assetId],
      ),
    ]);
    return [localDay(assets[0]?.timezone ?? 'UTC', work.createdAt), channelMapping(mapped)];
  }

  /** Report and event, then the fence as the last statement: a stale worker's transaction is rolled back. */
  private async complete(
    tx: OutboxTransaction,
    work: ImportWork,
    fence: Fence,
    findings: ImportFindings,
    inserted: number,
    changed: number,
  ): Promise<CostImportReport> {
    const report = findings.report(inserted);
    await tx.queryRunner.query('INSERT INTO imports.report (asset_id, import_id, report) VALUES ($1, $2, $3)', [
      work.assetId,
      work.id,
      JSON.stringify(report),
    ]);
    const event: CostImportCompleted = {
      import_id: work.id,
      asset_id: work.assetId,
      outcome: findings.outcome,
      total: report.total,
      inserted,
      updated: report.updated,
      skipped: report.skipped,
      changed,
      imported_from: report.imported_from,
      imported_to: report.imported_to,
      ...findings.touchedChannels(),
      weeks: findings.touchedWeeks(),
      file: { key: work.objectKey, sha256: work.sha256 },
    };
    tx.emit(CostImportCompleted.topic, work.assetId, event);
    const [, ended] = await tx.manager.query<[unknown, number]>(
      `UPDATE imports.job SET status = 'succeeded', outcome = $4, bytes_read = file_bytes, rows_read = $5, finished_at = clock_timestamp(),
              locked_by = NULL, lease_until = NULL
        WHERE import_id = $1 AND locked_by = $2 AND attempt = $3 AND status = 'running' AND deadline_at > clock_timestamp()`,
      [work.id, fence.worker, fence.attempt, event.outcome, report.total],
    );
    if (ended !== 1) throw new JobStopped('lease_lost');
    return report;
  }

  private async fail(work: ImportWork, fence: Fence, error: unknown): Promise<void> {
    const problem = problemOfImport(error);
    if (problem.status >= 500) this.log.error({ err: error }, 'an import failed');
    await this.outbox.transaction(async (tx) => {
      await endImport(tx, work.id, { status: 'failed', error: problem }, fence);
    });
  }
}

/** The file as it was uploaded, or an error: what was stored is what is imported. */
async function* verified(file: AsyncIterable<Buffer>, { bytes, sha256 }: ImportWork): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let read = 0;
  for await (const chunk of file) {
    hash.update(chunk);
    read += chunk.length;
    if (read > ASYNC_IMPORT_MAX_BYTES)
      throw new AppError('body_too_large', 'The file is over 64 MB.', {
        extensions: { max_bytes: ASYNC_IMPORT_MAX_BYTES },
      });
    yield chunk;
  }
  if (read !== bytes || hash.digest('hex') !== sha256)
    throw new Error('The stored file is not the one that was uploaded.');
}

function problemOfImport(error: unknown): Problem {
  if (error instanceof AppError) return problemOf(error.code, error.detail, error.extensions);
  if (error instanceof InputFileError) {
    return problemOf(error.code, error.message, {
      ...(error.line === undefined ? {} : { line: error.line }),
      ...(error.fileLine === undefined ? {} : { file_line: error.fileLine }),
    });
  }
  const reason =
    error instanceof ObjectNotFoundError ? 'The uploaded file is gone.' : 'Something failed that was not foreseen.';
  return problemOf('import_failed', reason, { nothing_written: true });
}
