import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { loggerFor } from '#runtime/logger.js';
import { counter, durationHistogram } from '#runtime/metrics.js';
import { LedgerBrokenError } from '../ledger/ledger.js';
import { dueAssets } from './due-assets.js';
import { fallQuietVerdicts } from './quiet-verdicts.js';
import { scoreAsset, type ScoringParts } from './score-asset.js';

const LOOK_EVERY_MS = 500;
const QUIET_EVERY_MS = 3_600_000;
/** After a failure an asset waits so long: others shall not wait for it. */
const FAILED_WAIT_MS = 60_000;
/** An asset that takes long is not scored all the time. */
const REST = 3;

const durations = durationHistogram({
  name: 'tallyport_integrity_scoring_seconds',
  help: 'Time in which the changes of an asset were scored',
});
const entries = counter({
  name: 'tallyport_integrity_detections_total',
  help: 'Detections that were written into ledgers',
});

/** Scores what changed, one asset at a time; several processes share the assets. */
export class Scorer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = loggerFor('scoring');
  private readonly notBefore = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private lookedForQuiet = 0;
  private isStopped = false;

  constructor(private readonly parts: ScoringParts) {}

  onApplicationBootstrap(): void {
    this.lookAgain();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private lookAgain(): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.running = this.look().then(() => {
        this.lookAgain();
      });
    }, LOOK_EVERY_MS);
    this.timer.unref();
  }

  /** Never rejects. */
  private async look(): Promise<void> {
    try {
      for (const assetId of await dueAssets(this.parts.dataSource, this.parts.config)) {
        if (this.isStopped) return;
        if ((this.notBefore.get(assetId) ?? 0) <= Date.now()) await this.score(assetId);
      }
      if (Date.now() - this.lookedForQuiet > QUIET_EVERY_MS) {
        await fallQuietVerdicts(this.parts);
        this.lookedForQuiet = Date.now();
      }
    } catch (error) {
      if (!isDependencyAway(error)) this.log.error({ err: error }, 'could not look for what is to be scored');
    }
  }

  private async score(assetId: string): Promise<void> {
    const begin = Date.now();
    const stop = durations.startTimer();
    try {
      const scored = await scoreAsset(this.parts, assetId);
      if (scored === undefined) return;
      entries.inc(scored.entries);
      this.log.debug({ asset_id: assetId, ...scored, ms: Date.now() - begin }, 'scored');
      this.notBefore.set(assetId, Date.now() + (Date.now() - begin) * REST);
    } catch (error) {
      if (isDependencyAway(error)) return;
      this.notBefore.set(assetId, Date.now() + FAILED_WAIT_MS);
      if (error instanceof LedgerBrokenError)
        this.log.error(
          { asset_id: assetId, event: 'integrity.ledger.broken' },
          'the ledger is broken: nothing is scored',
        );
      else this.log.error({ err: error, asset_id: assetId }, 'an asset could not be scored');
    } finally {
      stop();
    }
  }
}
