import type { Readable } from 'node:stream';
import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { AppError, problemOf } from '#contracts/errors.js';
import { EXPORT_FILES, type ExportFile, type ExportFormat, type ExportParameters } from '#contracts/exports.js';
import { loggerFor } from '#runtime/logger.js';
import { nextTraceparent } from '#runtime/work-context.js';
import { ObjectStore } from '#storage/object-store.js';
import type { Member } from '../access/access.decorators.js';
import { announceFile, clientHas, noBody } from '../files/delivery.js';
import { GatewayConfig } from '../gateway.config.js';
import { GatewayOutbox } from '../gateway-outbox.js';
import { RateLimiter } from '../limits/rate-limiter.js';
import type { WaitEnd } from '../waiting/job-waiters.js';
import { isUnforeseen, refusal } from '../waiting/refusal.js';
import { dateRange, type DateRange } from './date-range.js';
import { ExportJobs, type ExportedFile, type ExportJob, type NewExport } from './export-jobs.js';
import { ExportWaiters } from './export-waiters.js';
import type { AskedFile } from './exports.dto.js';
import { prefers } from './prefer.js';

const EXPORTS_PATH = '/api/v1/exports';
const AWAY_RETRY_SECONDS = '5';

/** The answer to `Prefer: respond-async`. */
export interface ExportAccepted {
  export_id: string;
  status: 'queued';
}

/** A file, no body (304), where the file will be (202), or nothing for a client that has left. */
export type ExportAnswer = StreamableFile | Readable | ExportAccepted | undefined;

/** A request for a file, let in by the guard. */
export interface FileRequest {
  file: ExportFile;
  member: Member;
  query: AskedFile;
  /** Of a path that has one form only, which is not CSV. */
  onlyForm?: ExportFormat;
  /** Of the dispute file. */
  entityId?: string;
  /** Of the file of a model run. */
  runId?: string;
  /** Of the file of a lift test. */
  testId?: string;
  /** Of a file whose days do not depend on the query. */
  range?: DateRange;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Gives out files: one transaction with job and event → the service of the file builds it → streamed from the storage. */
@Injectable()
export class ExportsService {
  private readonly log = loggerFor('exports');

  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    @Inject(GatewayOutbox) private readonly outbox: GatewayOutbox,
    @Inject(ObjectStore) private readonly objects: ObjectStore,
    @Inject(ExportJobs) private readonly jobs: ExportJobs,
    @Inject(ExportWaiters) private readonly waiters: ExportWaiters,
    @Inject(RateLimiter) private readonly rates: RateLimiter,
  ) {}

  /** Builds the file and answers with it, or with where it will be. An export that was accepted goes on when the client hangs up. */
  async give(wanted: FileRequest): Promise<ExportAnswer> {
    const { member, request, reply } = wanted;
    const receivedAt = new Date();
    const isAwaited = !prefers(request.headers['prefer']?.toString(), 'respond-async');
    const job = this.jobFor(wanted, receivedAt, isAwaited);
    await this.refuseWithoutStorage();
    await this.rates.take('exports', member.caller.tokenId, this.config.RATE_LIMIT_EXPORTS_PER_MINUTE, reply);
    if (!isAwaited) {
      await this.accept(job, reply);
      reply.code(202).headers({
        Location: locationOf(job.exportId),
        'Preference-Applied': 'respond-async',
        ...echoed(member.assetId, job.parameters),
      });
      return { export_id: job.exportId, status: 'queued' };
    }
    const end = await this.createAndWait(job, receivedAt, reply);
    return end === 'left' ? undefined : this.deliver(await this.ended(job, end), request, reply);
  }

  /** What a request for a file comes to; also used for estimates. */
  jobFor(wanted: Omit<FileRequest, 'reply'>, receivedAt: Date, awaited: boolean): NewExport {
    const { file, member, query, request, onlyForm, entityId, runId, testId, range } = wanted;
    const { format, bom, formulas, cap } = query;
    const { from, to } = range ?? dateRange(query, member.timezone, receivedAt);
    const { assetId, assetName: name, timezone, currency } = member;
    return {
      exportId: uuidv7(),
      kind: 'file',
      assetId,
      file,
      path: request.url.split('?', 1)[0] ?? '',
      query: {
        asset_id: assetId,
        from,
        to,
        ...(format === undefined ? {} : { format }),
        ...(bom === undefined ? {} : { bom }),
        ...(formulas === undefined ? {} : { formulas }),
        ...(cap === undefined ? {} : { cap: String(cap) }),
      },
      parameters: {
        from,
        to,
        format: onlyForm ?? format ?? 'csv',
        ...(bom === undefined ? {} : { bom: bom === '1' }),
        escapeFormulas: formulas !== 'raw',
        omitCost: member.restrictions.includes('cost_data'),
        ...(entityId === undefined ? {} : { entityId }),
        ...(runId === undefined ? {} : { runId }),
        ...(testId === undefined ? {} : { testId }),
        ...(cap === undefined ? {} : { cap }),
        asset: { name, timezone, currency },
        serviceName: this.config.SERVICE_NAME,
      },
      awaited,
      requestedBy: member.caller.principalName,
      traceparent: nextTraceparent(),
      deadlineAt: new Date(receivedAt.getTime() + this.config.EXPORT_TIMEOUT_MS),
    };
  }

  /** The row and the event that wakes its service. */
  async create(job: NewExport): Promise<void> {
    await this.outbox.transaction(async (tx) => {
      await this.jobs.create(tx.manager, job);
      const event = { export_id: job.exportId, asset_id: job.assetId };
      tx.emit(`export.requested.${EXPORT_FILES[job.file].service}.v1`, job.assetId, event);
    });
  }

  /** From here on every answer names the export, also one that tells of its failure. */
  private async accept(job: NewExport, reply: FastifyReply): Promise<void> {
    await this.create(job);
    reply.header('X-Service-Export-Id', job.exportId);
  }

  /** While the storage is away nothing is queued: clients that try again would only fill the queue. */
  private async refuseWithoutStorage(): Promise<void> {
    await this.objects.check().catch((error: unknown) => {
      throw new AppError('unavailable', 'The object storage cannot be reached right now.', {
        headers: { 'Retry-After': AWAY_RETRY_SECONDS },
        cause: error,
      });
    });
  }

  private async createAndWait(job: NewExport, receivedAt: Date, reply: FastifyReply): Promise<WaitEnd> {
    const deadline = new Date(receivedAt.getTime() + this.config.EXPORT_WAIT_TIMEOUT_MS);
    const wait = this.waiters.wait(job.exportId, deadline);
    reply.raw.once('close', wait.leave);
    try {
      await this.accept(job, reply);
      const end = await wait.end;
      if (end === 'left') this.demote(job);
      return end;
    } finally {
      reply.raw.off('close', wait.leave);
      wait.leave();
    }
  }

  private demote({ assetId, exportId }: NewExport): void {
    this.jobs.demote(assetId, exportId).catch((error: unknown) => {
      this.log.warn({ err: error }, 'could not let others go before an export whose client has left');
    });
  }

  /** @throws AppError for an export that failed, or has not ended when its client must be answered */
  private async ended({ assetId, exportId }: NewExport, end: WaitEnd): Promise<ExportJob & { result: ExportedFile }> {
    const job = await this.jobs.find(assetId, exportId);
    if (job === undefined) throw new Error(`The export ${exportId} is gone.`);
    const { result } = job;
    if (result !== null) return { ...job, result };
    const headers = { Location: locationOf(exportId) };
    if (job.status === 'failed') {
      const problem = job.error ?? problemOf('internal');
      if (isUnforeseen(problem)) throw new Error(`The export ${exportId} failed; the log of its service says why.`);
      throw refusal(problem, headers);
    }
    if (end === 'deadline') throw new AppError('export_timeout', `The export ${exportId} goes on.`, { headers });
    const [detail, retryAfter] =
      end === 'unavailable'
        ? [`The object storage cannot be reached right now; the export ${exportId} goes on.`, AWAY_RETRY_SECONDS]
        : [`This gateway stops; the export ${exportId} goes on.`, '1'];
    throw new AppError('unavailable', detail, { headers: { ...headers, 'Retry-After': retryAfter } });
  }

  private async deliver(
    { assetId, file, parameters, result }: ExportJob & { result: ExportedFile },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<StreamableFile | Readable> {
    const isKnown = clientHas(result.etag, request);
    // Opened before anything is said of it: when that fails the answer is another one.
    const body = isKnown || request.method === 'HEAD' ? noBody() : await this.objects.get(result.objectKey);
    reply.headers({ ...echoed(assetId, parameters), ...countsOf(file, result) });
    announceFile({ ...result, sha256: Buffer.from(result.sha256, 'hex') }, isKnown ? 304 : 200, reply);
    return isKnown ? body : new StreamableFile(body);
  }
}

function locationOf(exportId: string): string {
  return `${EXPORTS_PATH}/${exportId}`;
}

/** What the request was understood to be. */
function echoed(assetId: string, { from, to, asset }: ExportParameters): Record<string, string> {
  return {
    'X-Service-Asset': assetId,
    'X-Service-Date-Range': `${from}..${to}`,
    'X-Service-Timezone': asset.timezone,
  };
}

/** What the file does not hold. */
function countsOf(file: ExportFile, { limit, truncated, columnsOmitted }: ExportedFile): Record<string, string> {
  return {
    ...(limit === null ? {} : { 'X-Service-Export-Limit': String(limit) }),
    ...(truncated === 0 ? {} : { 'X-Service-Export-Truncated': String(truncated) }),
    ...(truncated === 0 || file !== 'google-ip-exclusions'
      ? {}
      : { 'X-Service-Blocklist-Truncated': String(truncated) }),
    ...(columnsOmitted.length === 0 ? {} : { 'X-Service-Columns-Omitted': columnsOmitted.join(',') }),
  };
}
