import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '#contracts/errors.js';
import type { Member } from '../access/access.decorators.js';
import { refusalOfFile } from '../access/file-access.js';
import { GatewayConfig } from '../gateway.config.js';
import { ModelingFiles } from '../modeling/modeling-files.js';
import { receiveJson } from '../uploads/json-members.js';
import { isUnforeseen, refusal } from '../waiting/refusal.js';
import type { DateRange } from './date-range.js';
import { ExportJobs, type Estimate, type NewExport } from './export-jobs.js';
import { EstimateWaiters } from './export-waiters.js';
import { ExportsService } from './exports.service.js';
import { readEstimateRequest, type EstimateRequest } from './estimate-request.js';

/** Who asks beforehand wants to wait less than for the file. */
const LONGEST_WAIT_MS = 60_000;

/** Says what a file would be: a job like that of the file, which its service answers without building it. */
@Injectable()
export class EstimatesService {
  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    @Inject(ExportsService) private readonly exports: ExportsService,
    @Inject(ExportJobs) private readonly jobs: ExportJobs,
    @Inject(EstimateWaiters) private readonly waiters: EstimateWaiters,
    @Inject(ModelingFiles) private readonly modeling: ModelingFiles,
  ) {}

  /** @returns undefined when the client has left */
  async estimate(member: Member, request: FastifyRequest, reply: FastifyReply): Promise<Estimate | undefined> {
    const { SLOW_BODY_MS: slowBodyMs, SPOOL_DIRECTORY: spoolDirectory } = this.config;
    const asked = readEstimateRequest(await receiveJson(request.raw, { slowBodyMs, spoolDirectory }));
    const { file, path } = asked;
    const refused = refusalOfFile(member, file);
    if (refused !== undefined) throw refused;
    const range = await this.ownRange(member.assetId, asked);
    const now = new Date();
    const deadlineAt = new Date(now.getTime() + Math.min(LONGEST_WAIT_MS, this.config.EXPORT_WAIT_TIMEOUT_MS));
    const asFile = this.exports.jobFor({ ...asked, ...range, member, request }, now, true);
    return this.wait({ ...asFile, kind: 'estimate', path, deadlineAt }, reply);
  }

  private async ownRange(assetId: string, { runId, testId }: EstimateRequest): Promise<{ range?: DateRange }> {
    if (runId !== undefined) return { range: await this.modeling.windowOfRun(assetId, runId) };
    return testId === undefined ? {} : { range: await this.modeling.windowOfTest(assetId, testId) };
  }

  private async wait(job: NewExport, reply: FastifyReply): Promise<Estimate | undefined> {
    const wait = this.waiters.wait(job.exportId, job.deadlineAt);
    reply.raw.once('close', wait.leave);
    try {
      await this.exports.create(job);
      if ((await wait.end) === 'left') return undefined;
    } finally {
      reply.raw.off('close', wait.leave);
      wait.leave();
    }
    const estimate = await this.jobs.estimate(job.assetId, job.exportId);
    if (estimate !== undefined && !('code' in estimate)) return estimate;
    if (estimate === undefined || estimate.code === 'export_timeout')
      throw new AppError('unavailable', 'There was no time for an estimate.', { headers: { 'Retry-After': '5' } });
    if (isUnforeseen(estimate)) throw new Error('The estimate failed; the log of its service says why.');
    throw refusal(estimate);
  }
}
