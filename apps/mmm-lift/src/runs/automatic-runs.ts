import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { v4 as uuidv4 } from 'uuid';
import type { MixTrigger } from '#contracts/modeling/mix-run.js';
import { readSettings } from '#database/modeling/read-settings.js';
import { rowReader } from '#database/modeling/row-reader.js';
import { nextTraceparent } from '#runtime/work-context.js';
import { ModelingConfig } from '../modeling.config.js';

/**
 * Queues runs that nobody asked for: at most one waits per asset and target. What comes meanwhile puts it off, but not
 * for ever.
 */
@Injectable()
export class AutomaticRuns {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(ModelingConfig) private readonly config: ModelingConfig,
  ) {}

  /** Costs of the asset have changed: a run for each of its targets. A second delivery of the event changes nothing. */
  afterImport(eventId: string, assetId: string): Promise<void> {
    return this.once(eventId, async (manager) => {
      const { targets } = await readSettings(rowReader(manager), assetId);
      // In one order: two imports of an asset at the same time wait for each other's rows, and never in a circle.
      for (const target of new Set(targets.toSorted())) await this.queue(manager, assetId, target, 'cost_import');
    });
  }

  /** A lift test has numbers: the model of its metric learns from it. */
  afterTest(eventId: string, assetId: string, metric: string): Promise<void> {
    return this.once(eventId, (manager) => this.queue(manager, assetId, metric, 'lift_test'));
  }

  private once(eventId: string, effect: (manager: EntityManager) => Promise<void>): Promise<void> {
    return this.dataSource.transaction(async (manager) => {
      const seen = await manager.query<unknown[]>(
        'INSERT INTO modeling.consumer_inbox (event_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING event_id',
        [eventId],
      );
      if (seen.length > 0) await effect(manager);
    });
  }

  private async queue(manager: EntityManager, assetId: string, target: string, trigger: MixTrigger): Promise<void> {
    await manager.query(
      `INSERT INTO modeling.run (asset_id, run_id, target, trigger, not_before, traceparent)
       VALUES ($1, $2, $3, $4, clock_timestamp() + LEAST($5::float8, $6::float8) * interval '1 s', $7)
       ON CONFLICT (asset_id, target) WHERE status = 'queued' AND trigger <> 'request'
       DO UPDATE SET not_before = LEAST(clock_timestamp() + $5::float8 * interval '1 s', run.created_at + $6::float8 * interval '1 s')`,
      [
        assetId,
        uuidv4(),
        target,
        trigger,
        this.config.MODEL_DEBOUNCE_SECONDS,
        this.config.MODEL_DEBOUNCE_MAX_SECONDS,
        nextTraceparent(),
      ],
    );
  }
}
