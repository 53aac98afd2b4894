import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '#contracts/errors.js';
import { EXPORT_FILE_DAYS, type ExportRecord } from '#contracts/exports.js';
import { ObjectStore } from '#storage/object-store.js';
import type { Member } from '../access/access.decorators.js';
import { filesFor, refusalOfFile } from '../access/file-access.js';
import type { Page } from '../lists/paging.js';
import { ExportJobs, type ExportJob } from './export-jobs.js';

const DAY_MS = 86_400_000;
const LINK_SECONDS = 300;

/** Exports as they can be looked at afterwards. What a member may not have is decided anew at each look. */
@Injectable()
export class ExportRecords {
  constructor(
    @Inject(ExportJobs) private readonly jobs: ExportJobs,
    @Inject(ObjectStore) private readonly objects: ObjectStore,
  ) {}

  /** Those that the member's permissions cover; what a restriction keeps back is there without its link. */
  async list(member: Member, limit: number, cursor?: string): Promise<Page<ExportRecord>> {
    const page = await this.jobs.list(member.assetId, filesFor(member), limit, cursor);
    const items = await Promise.all(page.items.map((job) => this.record(job, member)));
    return { items, next_cursor: page.next_cursor };
  }

  /** @throws AppError when there is none, or the member may not have its file */
  async find(member: Member, exportId: string): Promise<ExportRecord> {
    return this.record(await this.permitted(member, exportId), member);
  }

  /**
   * A link to the file, for five minutes.
   *
   * @throws AppError `invalid_state` while there is no file · `expired` when there is none any more
   */
  async link(member: Member, exportId: string): Promise<string> {
    const job = await this.permitted(member, exportId);
    if (job.result === null) {
      const hasFailed = job.status === 'failed';
      throw new AppError('invalid_state', hasFailed ? 'The export failed.' : `The export is ${job.status}.`, {
        headers: hasFailed ? {} : { 'Retry-After': '1' },
      });
    }
    const url = await this.linkTo(job);
    if (url === null || (await this.objects.stat(job.result.objectKey)) === undefined)
      throw new AppError('expired', `Finished files are kept ${EXPORT_FILE_DAYS} days: export it anew.`);
    return url;
  }

  private async permitted(member: Member, exportId: string): Promise<ExportJob> {
    const job = await this.jobs.find(member.assetId, exportId);
    if (job === undefined) throw new AppError('not_found', 'There is no such object.');
    const refusal = refusalOfFile(member, job.file, job.holdsCost);
    if (refusal !== undefined) throw refusal;
    return job;
  }

  private async record(job: ExportJob, member: Member): Promise<ExportRecord> {
    const { result } = job;
    const mayHave = refusalOfFile(member, job.file, job.holdsCost) === undefined;
    return {
      export_id: job.exportId,
      path: job.path,
      parameters: job.query,
      status: job.status,
      requested_by: job.requestedBy,
      created_at: job.createdAt.toISOString(),
      started_at: job.startedAt?.toISOString() ?? null,
      finished_at: job.finishedAt?.toISOString() ?? null,
      file: result && {
        name: result.name,
        bytes: result.bytes,
        sha256: result.sha256,
        rows: result.rows,
        limit: result.limit,
        truncated: result.truncated,
      },
      download_url: mayHave ? await this.linkTo(job) : null,
      error: job.error,
    };
  }

  private async linkTo({ result, finishedAt }: ExportJob): Promise<string | null> {
    if (result === null || finishedAt === null) return null;
    if (Date.now() - finishedAt.getTime() >= EXPORT_FILE_DAYS * DAY_MS) return null;
    return this.objects.presign(result.objectKey, {
      expiresInSeconds: LINK_SECONDS,
      fileName: result.name,
      contentType: result.contentType,
    });
  }
}
