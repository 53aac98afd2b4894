import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Housekeeping } from '#jobs/housekeeping.js';
import { cleanSpoolDirectory } from '#storage/body-spool.js';
import { IdempotencyKeys } from './cost-import/idempotency.js';
import { GatewayConfig } from './gateway.config.js';
import { GatewayOutbox } from './gateway-outbox.js';
import { RateLimiter } from './limits/rate-limiter.js';

/** Removes what has outlived its days; spooled bodies of a process that died are removed at the start. */
@Injectable()
export class GatewayHousekeeping implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly rounds: Housekeeping;

  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    @Inject(GatewayOutbox) outbox: GatewayOutbox,
    @Inject(IdempotencyKeys) keys: IdempotencyKeys,
    @Inject(RateLimiter) rates: RateLimiter,
  ) {
    this.rounds = new Housekeeping(config.HOUSEKEEPING_INTERVAL_MS, {
      'published outbox rows': () => outbox.deletePublished(config.OUTBOX_DAYS),
      'idempotency keys': () => keys.removeOld(),
      'rate windows': () => rates.removeOld(),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await cleanSpoolDirectory(this.config.SPOOL_DIRECTORY);
    this.rounds.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.rounds.stop();
  }
}
