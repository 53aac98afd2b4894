import type { DataSource } from 'typeorm';
import { MmmRunCompleted } from '#contracts/events/mmm-run-completed.js';
import type { MixNumbers } from '#contracts/modeling/mix-run.js';
import type { RowReader } from '#database/modeling/row-reader.js';
import type { Fence } from '#jobs/end-import.js';
import { JobStopped } from '#jobs/job-runner.js';
import type { Outbox, OutboxTransaction } from '#messaging/outbox.js';
import { MODEL_VERSION, type MixInput } from '../mmm/mix-input.js';
import { inputHash } from '../prepare/input-hash.js';
import { writeMixNumbers } from '../store/write-mix.js';
import { fitInThreads } from './fit-in-threads.js';
import type { FitPool } from './fit-pool.js';
import { ours } from './job-kind.js';
import { fitDuration } from './modeling-metrics.js';
import type { MixWork } from './modeling-job.js';
import { readSnapshot } from './read-snapshot.js';

export interface RunMixParts {
  dataSource: DataSource;
  outbox: Outbox;
  pool: FitPool;
  prepare: (
    read: RowReader,
    run: { assetId: string; target: string; from: string | null; to: string | null; seed: number; now: Date },
  ) => Promise<MixInput>;
}

const OURS = ours('run_id');

/** One run: prepare → the same as before? → store the input → fit → write numbers, end state and event at once. */
export class RunMix {
  constructor(private readonly parts: RunMixParts) {}

  /** Ends the run with numbers, or as skipped; anything else is thrown, and nothing is written. */
  async run(work: MixWork, fence: Fence, signal: AbortSignal): Promise<'succeeded' | 'skipped'> {
    const { dataSource, pool, prepare } = this.parts;
    const input = await readSnapshot(dataSource, signal, (read) => prepare(read, { ...work, now: new Date() }));
    const hash = inputHash(input);
    const sameAs = work.trigger === 'request' ? undefined : await this.newestWith(work, hash);
    if (sameAs !== undefined) {
      await this.skip(work, fence, hash, sameAs);
      return 'skipped';
    }
    await this.storeInput(work, fence, input, hash);
    const observe = fitDuration.startTimer({ kind: 'mmm' });
    const numbers = await fitInThreads(pool, input, signal);
    observe();
    signal.throwIfAborted();
    await this.parts.outbox.transaction((tx) => this.complete(tx, work, fence, numbers));
    return 'succeeded';
  }

  /** The newest succeeded run of the target, if it was fitted to the same. */
  private async newestWith({ assetId, target }: MixWork, hash: string): Promise<string | undefined> {
    const [newest] = await this.parts.dataSource.query<{ run_id: string; input_hash: string | null }[]>(
      `SELECT run_id, input_hash FROM modeling.run WHERE asset_id = $1 AND target = $2 AND status = 'succeeded'
        ORDER BY generated DESC, run_id DESC LIMIT 1`,
      [assetId, target],
    );
    return newest?.input_hash === hash ? newest.run_id : undefined;
  }

  private async skip(work: MixWork, fence: Fence, hash: string, sameAs: string): Promise<void> {
    const [, ended] = await this.parts.dataSource.query<[unknown, number]>(
      `UPDATE modeling.run SET status = 'skipped', same_as = $4, input_hash = $5, model_version = $6, finished_at = clock_timestamp(),
              locked_by = NULL, lease_until = NULL WHERE ${OURS}`,
      [work.id, fence.worker, fence.attempt, sameAs, hash, MODEL_VERSION],
    );
    if (ended !== 1) throw new JobStopped('lease_lost');
  }

  /** Before the fit: it also shows what a run was about that has no numbers. */
  private async storeInput(work: MixWork, fence: Fence, input: MixInput, hash: string): Promise<void> {
    const stored = await this.parts.dataSource.query<unknown[]>(
      `WITH held AS (UPDATE modeling.run SET input_hash = $4, model_version = $5 WHERE ${OURS} RETURNING asset_id, run_id)
       INSERT INTO modeling.run_input (asset_id, run_id, input) SELECT asset_id, run_id, $6 FROM held
       ON CONFLICT (asset_id, run_id) DO UPDATE SET input = EXCLUDED.input RETURNING run_id`,
      [work.id, fence.worker, fence.attempt, hash, MODEL_VERSION, JSON.stringify(input)],
    );
    if (stored.length !== 1) throw new JobStopped('lease_lost');
  }

  /** The fence is the last statement: a stale worker's transaction is rolled back. */
  private async complete(tx: OutboxTransaction, work: MixWork, fence: Fence, numbers: MixNumbers): Promise<void> {
    await writeMixNumbers(tx.manager, work.assetId, work.id, numbers, new Date());
    const event: MmmRunCompleted = {
      asset_id: work.assetId,
      run_id: work.id,
      target: work.target,
      status: 'succeeded',
      trust_tier: numbers.trust_tier,
      n_weeks: numbers.n_weeks,
      n_channels: numbers.n_channels,
      error_code: null,
    };
    tx.emit(MmmRunCompleted.topic, work.assetId, event);
    const [, ended] = await tx.manager.query<[unknown, number]>(
      `UPDATE modeling.run SET status = 'succeeded', finished_at = clock_timestamp(), locked_by = NULL, lease_until = NULL WHERE ${OURS}`,
      [work.id, fence.worker, fence.attempt],
    );
    if (ended !== 1) throw new JobStopped('lease_lost');
  }
}
