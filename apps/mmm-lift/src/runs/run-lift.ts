import type { DataSource } from 'typeorm';
import { LiftTestCompleted } from '#contracts/events/lift-test-completed.js';
import type { LiftNumbers, LiftRequest } from '#contracts/modeling/lift-test.js';
import type { RowReader } from '#database/modeling/row-reader.js';
import type { Fence } from '#jobs/end-import.js';
import { JobStopped } from '#jobs/job-runner.js';
import type { Outbox, OutboxTransaction } from '#messaging/outbox.js';
import type { LiftInput } from '../lift/lift-input.js';
import { writeLiftNumbers } from '../store/write-lift.js';
import type { FitPool } from './fit-pool.js';
import { ours } from './job-kind.js';
import { fitDuration } from './modeling-metrics.js';
import type { LiftWork } from './modeling-job.js';
import { readSnapshot } from './read-snapshot.js';

export interface RunLiftParts {
  dataSource: DataSource;
  outbox: Outbox;
  pool: FitPool;
  prepare: (
    read: RowReader,
    test: { assetId: string; testId: string; request: LiftRequest; seed: number; now: Date },
  ) => Promise<LiftInput>;
}

/** One lift test: prepare → evaluate → write numbers, end state and event at once. */
export class RunLift {
  constructor(private readonly parts: RunLiftParts) {}

  /** Ends the test with numbers; anything else is thrown, and nothing is written. */
  async run(work: LiftWork, fence: Fence, signal: AbortSignal): Promise<'succeeded'> {
    const { dataSource, pool, prepare } = this.parts;
    const input = await readSnapshot(dataSource, signal, (read) =>
      prepare(read, { ...work, testId: work.id, now: new Date() }),
    );
    const observe = fitDuration.startTimer({ kind: 'lift' });
    const numbers = await pool.run('evaluateLift', [input], signal);
    observe();
    signal.throwIfAborted();
    await this.parts.outbox.transaction((tx) => this.complete(tx, work, fence, numbers));
    return 'succeeded';
  }

  /** The fence is the last statement: a stale worker's transaction is rolled back. */
  private async complete(tx: OutboxTransaction, work: LiftWork, fence: Fence, numbers: LiftNumbers): Promise<void> {
    await writeLiftNumbers(tx.manager, work.assetId, work.id, numbers, new Date());
    const event: LiftTestCompleted = {
      asset_id: work.assetId,
      test_id: work.id,
      metric: work.metric,
      channels: work.channels,
      status: 'succeeded',
      trust_tier: numbers.trust_tier,
      error_code: null,
    };
    tx.emit(LiftTestCompleted.topic, work.assetId, event);
    const [, ended] = await tx.manager.query<[unknown, number]>(
      `UPDATE modeling.lift_test SET status = 'succeeded', finished_at = clock_timestamp(), locked_by = NULL, lease_until = NULL WHERE ${ours('test_id')}`,
      [work.id, fence.worker, fence.attempt],
    );
    if (ended !== 1) throw new JobStopped('lease_lost');
  }
}
