import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { FastifyRequest } from 'fastify';
import { AppError } from '#contracts/errors.js';
import { LiftTestRequested } from '#contracts/events/lift-test-requested.js';
import { ABOUT_LIFT, type About } from '#contracts/modeling/about.js';
import type { LiftRequest, LiftTest, LiftTestItem } from '#contracts/modeling/lift-test.js';
import { readLiftTest } from '#database/modeling/read-lift-test.js';
import { readLiftTests } from '#database/modeling/read-lift-tests.js';
import { rowReader } from '#database/modeling/row-reader.js';
import type { OutboxTransaction } from '#messaging/outbox.js';
import { nextTraceparent } from '#runtime/work-context.js';
import type { Member } from '../access/access.decorators.js';
import { pageOf, positionOf, type Page } from '../lists/paging.js';
import { readLiftRequest, windowEnd } from './lift-request.js';
import type { TestDetail } from './modeling.dto.js';
import { refuseAmbiguousPlaces } from './places.js';
import { Submissions } from './submissions.js';
import { overlappingTest } from './test-overlap.js';
import { liftItemFor, liftTestFor } from './without-cost.js';

/** Many places have long names. */
const MOST_BYTES = 1_048_576;

/** A test as the member may see it, and what its numbers are. */
export type LiftTestAnswer = Partial<LiftTest> & { about: About };

/** What a test is when it was asked for: its window may not be over. */
export interface SubmittedTest {
  test_id: string;
  status: 'scheduled' | 'queued';
}

/** Lift tests as the gateway needs them: asked for, looked at, listed. The service mmm-lift evaluates them. */
@Injectable()
export class LiftTests {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(Submissions) private readonly submissions: Submissions,
  ) {}

  async request(member: Member, request: FastifyRequest): Promise<SubmittedTest> {
    const testId = await this.submissions.submit<LiftRequest>({
      member,
      request,
      endpoint: 'lift/tests',
      maxBytes: MOST_BYTES,
      read: readLiftRequest,
      create: (transaction, id, wanted) => create(transaction, member, id, wanted),
    });
    return { test_id: testId, status: await this.firstStatus(member, testId) };
  }

  /** Newest first, as the member may see them. */
  async list(member: Member, limit: number, cursor?: string): Promise<Page<Partial<LiftTestItem>>> {
    const listed = await readLiftTests(rowReader(this.dataSource), member.assetId, {
      limit: limit + 1,
      after: positionOf(cursor),
    });
    const items = listed.slice(0, limit).map(({ item }) => liftItemFor(member, item));
    return pageOf(listed, limit, ({ id }) => id, items);
  }

  async find(member: Member, testId: string, include: ReadonlySet<TestDetail>): Promise<LiftTestAnswer> {
    const test = await this.dataSource.transaction('REPEATABLE READ', (manager) =>
      readLiftTest(rowReader(manager), member.assetId, testId, include),
    );
    if (test === undefined) throw new AppError('not_found', 'There is no such object.');
    return { ...liftTestFor(member, test), about: ABOUT_LIFT };
  }

  /** From what never changes: a repetition with the same key gets the same answer. */
  private async firstStatus({ assetId, timezone }: Member, testId: string): Promise<SubmittedTest['status']> {
    const [row] = await this.dataSource.query<[{ over: boolean }]>(
      `SELECT (created_at AT TIME ZONE $3)::date > window_to AS over FROM modeling.lift_test WHERE asset_id = $1 AND test_id = $2`,
      [assetId, testId, timezone],
    );
    return row.over ? 'queued' : 'scheduled';
  }
}

/** @throws AppError `test_overlap` · `invalid_parameter` for a name of several places */
async function create(
  transaction: OutboxTransaction,
  { assetId, timezone, caller }: Member,
  testId: string,
  request: LiftRequest,
): Promise<void> {
  await refuseAmbiguousPlaces(transaction.manager, assetId, request);
  const other = await overlappingTest(transaction.manager, assetId, request);
  if (other !== undefined)
    throw new AppError('test_overlap', `The test ${other} has a channel, a place and days in common with this.`, {
      extensions: { test_id: other },
    });
  const { name, metric, channels, test_from: from, seed } = request;
  await transaction.manager.query(
    `INSERT INTO modeling.lift_test (asset_id, test_id, name, metric, channels, request, test_from, window_to, seed, requested_by, traceparent,
                                     created_at, not_before, status)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8::date, $9, $10, $11,
            at, ($8::date + 1)::timestamp AT TIME ZONE $12, CASE WHEN (at AT TIME ZONE $12)::date > $8::date THEN 'queued' ELSE 'scheduled' END
       FROM clock_timestamp() AS at`,
    [
      assetId,
      testId,
      name,
      metric,
      channels,
      request,
      from,
      windowEnd(request),
      seed,
      caller.principalName,
      nextTraceparent(),
      timezone,
    ],
  );
  const event: LiftTestRequested = { test_id: testId, asset_id: assetId };
  transaction.emit(LiftTestRequested.topic, assetId, event);
}
