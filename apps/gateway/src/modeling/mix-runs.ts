import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { FastifyRequest } from 'fastify';
import { AppError } from '#contracts/errors.js';
import { MmmRunRequested } from '#contracts/events/mmm-run-requested.js';
import { ABOUT_MIX, type About } from '#contracts/modeling/about.js';
import type { MixRun, MixRunItem } from '#contracts/modeling/mix-run.js';
import { readMixRun } from '#database/modeling/read-mix-run.js';
import { readMixRuns } from '#database/modeling/read-mix-runs.js';
import { rowReader } from '#database/modeling/row-reader.js';
import type { OutboxTransaction } from '#messaging/outbox.js';
import { nextTraceparent } from '#runtime/work-context.js';
import type { Member } from '../access/access.decorators.js';
import { pageOf, positionOf, type Page } from '../lists/paging.js';
import type { RunDetail } from './modeling.dto.js';
import { readRunRequest, type RunRequest } from './run-request.js';
import { Submissions } from './submissions.js';
import { mixRunFor } from './without-cost.js';

/** A run as the member may see it, and what its numbers are. */
export type MixRunAnswer = Partial<MixRun> & { about: About };

const MOST_BYTES = 16_384;

/** Marketing mix models as the gateway needs them: asked for, looked at, listed. The service mmm-lift fits them. */
@Injectable()
export class MixRuns {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(Submissions) private readonly submissions: Submissions,
  ) {}

  /** @returns the id of the run, which is queued */
  request(member: Member, request: FastifyRequest): Promise<string> {
    return this.submissions.submit<RunRequest>({
      member,
      request,
      endpoint: 'mmm/runs',
      maxBytes: MOST_BYTES,
      read: (body) => readRunRequest(body, member.timezone, new Date()),
      create: (transaction, runId, wanted) => create(transaction, member, runId, wanted),
    });
  }

  /** Newest first. */
  async list({ assetId }: Member, limit: number, cursor?: string): Promise<Page<MixRunItem>> {
    const listed = await readMixRuns(rowReader(this.dataSource), assetId, {
      limit: limit + 1,
      after: positionOf(cursor),
    });
    const items = listed.slice(0, limit).map(({ item }) => item);
    return pageOf(listed, limit, ({ id }) => id, items);
  }

  async find(member: Member, runId: string, include: ReadonlySet<RunDetail>): Promise<MixRunAnswer> {
    const run = await this.dataSource.transaction('REPEATABLE READ', (manager) =>
      readMixRun(rowReader(manager), member.assetId, runId, include),
    );
    if (run === undefined) throw new AppError('not_found', 'There is no such object.');
    return { ...mixRunFor(member, run), about: ABOUT_MIX };
  }
}

async function create(
  transaction: OutboxTransaction,
  { assetId, caller }: Member,
  runId: string,
  { target, from, to, seed }: RunRequest,
): Promise<void> {
  await transaction.manager.query(
    `INSERT INTO modeling.run (asset_id, run_id, target, trigger, asked_from, asked_to, seed, requested_by, traceparent)
     VALUES ($1, $2, $3, 'request', $4, $5, $6, $7, $8)`,
    [assetId, runId, target, from, to, seed, caller.principalName, nextTraceparent()],
  );
  const event: MmmRunRequested = { run_id: runId, asset_id: assetId };
  transaction.emit(MmmRunRequested.topic, assetId, event);
}
