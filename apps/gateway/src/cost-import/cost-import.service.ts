import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import {
  ASYNC_IMPORT_MAX_BYTES,
  SYNC_IMPORT_MAX_BYTES,
  type CostImportJob,
  type CostImportReport,
  type ImportFormat,
} from '#contracts/cost-import.js';
import { AppError, problemOf } from '#contracts/errors.js';
import { CostImportRequested } from '#contracts/events/cost-import-requested.js';
import { endImport, importTimeout } from '#jobs/end-import.js';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { nextTraceparent } from '#runtime/work-context.js';
import type { SpooledBody } from '#storage/body-spool.js';
import { objectKey, ObjectStore } from '#storage/object-store.js';
import type { Member } from '../access/access.decorators.js';
import { GatewayConfig } from '../gateway.config.js';
import { GatewayOutbox } from '../gateway-outbox.js';
import { IdempotencyKeys, type FirstResult, type KeyedRequest } from '../idempotency/idempotency-keys.js';
import { UploadSlots } from '../limits/upload-slots.js';
import { receiveUpload } from '../uploads/receive-upload.js';
import type { WaitEnd } from '../waiting/job-waiters.js';
import { refusal } from '../waiting/refusal.js';
import { ImportJobs } from './import-jobs.js';
import { ImportWaiters } from './import-waiters.js';
import { uploadFormat } from './upload.js';

export const JOBS_PATH = '/api/v1/cost-import/jobs';
const ASYNC_PATH = '/api/v1/cost-import/async';
/** A sync import that failed with 5xx or 504. An async request has succeeded with its 202, whatever becomes of the job. */
const HAS_FAILED = `EXISTS (
  SELECT FROM imports.job j
   WHERE j.asset_id = k.asset_id AND j.import_id = k.resource_id
     AND j.status = 'failed' AND coalesce((j.error->>'status')::int, 500) >= 500)`;

/** An upload as it comes in; the body is still to be read. */
export interface Upload {
  request: IncomingMessage;
  member: Member;
  idempotencyKey: string | undefined;
  receivedAt: Date;
  /** Aborted when the client is gone. */
  clientGone: AbortSignal;
}

export interface SyncResult {
  importId: string;
  report: CostImportReport;
}

type Mode = 'sync' | 'async';

interface Received {
  importId: string;
  format: ImportFormat;
  file: SpooledBody;
  keyed: KeyedRequest | undefined;
}

/** Takes uploads in: receive → store → one transaction with job, key and event → wait (sync) or answer (async). */
@Injectable()
export class CostImportService {
  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    @Inject(GatewayOutbox) private readonly outbox: GatewayOutbox,
    @Inject(ObjectStore) private readonly objects: ObjectStore,
    @Inject(ImportJobs) private readonly jobs: ImportJobs,
    @Inject(ImportWaiters) private readonly waiters: ImportWaiters,
    @Inject(IdempotencyKeys) private readonly keys: IdempotencyKeys,
    @Inject(UploadSlots) private readonly slots: UploadSlots,
  ) {}

  /** Imports and waits for the report. An import that was accepted goes on when the client hangs up. */
  async importNow(upload: Upload): Promise<SyncResult> {
    const deadline = new Date(upload.receivedAt.getTime() + this.config.SYNC_IMPORT_TIMEOUT_MS);
    return this.withUpload(upload, 'sync', async (received) => {
      const first = await this.firstResult(received);
      if (first !== undefined) return this.replay(upload.member, first);
      const wait = this.waiters.wait(received.importId, deadline);
      const leave = (): void => {
        wait.leave();
      };
      upload.clientGone.addEventListener('abort', leave, { once: true });
      try {
        const raced = await this.accept(upload, 'sync', received, deadline);
        if (raced !== undefined) return await this.replay(upload.member, raced);
        return await this.result(upload.member, received.importId, await wait.end);
      } finally {
        upload.clientGone.removeEventListener('abort', leave);
        wait.leave();
      }
    });
  }

  /** Accepts a file and answers at once with the id of its job. */
  async importLater(upload: Upload): Promise<string> {
    if (upload.idempotencyKey === undefined) this.refuseFullQueue(await this.jobs.queued(upload.member.assetId));
    return this.withUpload(upload, 'async', async (received) => {
      const first = (await this.firstResult(received)) ?? (await this.accept(upload, 'async', received, null));
      if (first === undefined) return received.importId;
      if ('problem' in first) throw refusal(first.problem);
      return first.resourceId;
    });
  }

  /** @throws AppError `invalid_state` once the import has ended */
  async cancel({ assetId }: Member, importId: string): Promise<CostImportJob> {
    const canceled = await this.outbox.transaction((tx) => endImport(tx, importId, { status: 'canceled' }));
    if (canceled) this.waiters.wake(importId);
    const job = await this.job(assetId, importId);
    if (!canceled) throw new AppError('invalid_state', `The import has ended already: ${job.status}.`);
    return job;
  }

  async job(assetId: string, importId: string): Promise<CostImportJob> {
    const job = await this.jobs.find(assetId, importId);
    if (job === undefined) throw new AppError('not_found', 'There is no such object.');
    return job;
  }

  private async withUpload<T>(upload: Upload, mode: Mode, use: (received: Received) => Promise<T>): Promise<T> {
    const format = uploadFormat(upload.request);
    const file = await this.slots.run(() =>
      receiveUpload(upload.request, {
        maxBytes: mode === 'sync' ? SYNC_IMPORT_MAX_BYTES : ASYNC_IMPORT_MAX_BYTES,
        ...(mode === 'sync' ? { asyncUrl: ASYNC_PATH } : {}),
        slowBodyMs: this.config.SLOW_BODY_MS,
        spoolDirectory: this.config.SPOOL_DIRECTORY,
      }),
    );
    try {
      const keyed: KeyedRequest | undefined =
        upload.idempotencyKey === undefined
          ? undefined
          : {
              assetId: upload.member.assetId,
              endpoint: mode === 'sync' ? 'cost-import' : 'cost-import/async',
              key: upload.idempotencyKey,
              bodySha256: file.sha256,
              type: format,
              ...(mode === 'sync' ? { freedWhen: HAS_FAILED } : {}),
            };
      return await use({ importId: uuidv7(), format, file, keyed });
    } finally {
      await file.discard();
    }
  }

  private async firstResult({ keyed }: Received): Promise<FirstResult | undefined> {
    return keyed === undefined ? undefined : this.keys.find(keyed);
  }

  /**
   * Stores the file and creates its job. What a crash leaves is an object without a job, which expires.
   *
   * @returns the first result, when another request with the same key was faster
   */
  private async accept(
    upload: Upload,
    mode: Mode,
    { importId, format, file, keyed }: Received,
    deadlineAt: Date | null,
  ): Promise<FirstResult | undefined> {
    if (file.bytes === 0) return this.refuseEmpty(keyed);
    const { assetId, caller } = upload.member;
    const key = objectKey('imports', assetId, importId, format === 'csv' ? 'upload.csv' : 'upload.json');
    const contentType = format === 'csv' ? 'text/csv' : 'application/json';
    await this.objects.put(key, file.body, { contentType });
    await file.discard();
    const taken = await this.outbox
      .transaction(async (tx) => {
        if (mode === 'async') this.refuseFullQueue(await this.jobs.countQueued(tx.manager, assetId));
        if (keyed !== undefined && !(await this.keys.take(keyed, { resourceId: importId }, tx.manager))) return false;
        await this.jobs.create(tx.manager, {
          importId,
          assetId,
          sync: mode === 'sync',
          format,
          contentType,
          objectKey: key,
          bytes: file.bytes,
          sha256: file.sha256,
          requestedBy: caller.principalName,
          traceparent: nextTraceparent(),
          deadlineAt,
          timeLimitMs: mode === 'sync' ? this.config.SYNC_IMPORT_TIMEOUT_MS : this.config.ASYNC_IMPORT_TIMEOUT_MS,
        });
        const event: CostImportRequested = { import_id: importId, asset_id: assetId };
        tx.emit(CostImportRequested.topic, assetId, event);
        return true;
      })
      .catch(async (error: unknown) => {
        // After a lost connection the commit may have happened, and the job needs its file.
        if (!isDependencyAway(error)) await this.objects.remove(key).catch(() => undefined);
        throw error;
      });
    if (taken || keyed === undefined) return undefined;
    await this.objects.remove(key).catch(() => undefined);
    return this.keys.findHeld(keyed);
  }

  private async refuseEmpty(keyed: KeyedRequest | undefined): Promise<FirstResult> {
    const problem = problemOf('empty_file', 'The body has no bytes.');
    if (keyed !== undefined) await this.keys.take(keyed, { problem });
    return { problem };
  }

  private refuseFullQueue(queued: number): void {
    if (queued < this.config.IMPORT_QUEUED_PER_ASSET) return;
    throw new AppError(
      'queue_full',
      `${queued} imports of the asset are waiting; at most ${this.config.IMPORT_QUEUED_PER_ASSET} may.`,
      {
        headers: { 'Retry-After': '10', Connection: 'close' },
      },
    );
  }

  private async replay(member: Member, first: FirstResult): Promise<SyncResult> {
    if ('problem' in first) throw refusal(first.problem);
    const { resourceId: importId } = first;
    const { status } = await this.job(member.assetId, importId);
    if (status === 'queued' || status === 'running') {
      throw new AppError('idempotency_in_progress', 'The first request with this Idempotency-Key has not ended.', {
        headers: headersOf(importId),
      });
    }
    return this.result(member, importId, 'ended');
  }

  /** At the deadline the job is ended here if it has not ended yet, so that «nothing was written» is true when it is said. */
  private async result({ assetId }: Member, importId: string, end: WaitEnd): Promise<SyncResult> {
    if (end === 'deadline') {
      await this.outbox.transaction(async (tx) =>
        endImport(tx, importId, { status: 'failed', error: await importTimeout(tx, importId) }),
      );
    }
    const job = await this.job(assetId, importId);
    switch (job.status) {
      case 'succeeded':
        if (job.report === null) throw new Error(`The import ${importId} has no report.`);
        return { importId, report: job.report };
      case 'failed':
        throw refusal(job.error ?? problemOf('import_failed'), { 'X-Service-Import-Id': importId });
      case 'canceled':
        throw new AppError('invalid_state', 'The import was canceled.', { headers: headersOf(importId) });
      case 'queued':
      case 'running':
        throw new AppError('unavailable', `This gateway stops; the import ${importId} goes on.`, {
          headers: { ...headersOf(importId), 'Retry-After': '1' },
        });
    }
  }
}

function headersOf(importId: string): Record<string, string> {
  return { Location: `${JOBS_PATH}/${importId}`, 'X-Service-Import-Id': importId };
}
