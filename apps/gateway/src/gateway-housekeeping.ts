import { Inject, Injectable } from '@nestjs/common';
import { HousekeepingConfig } from '#jobs/housekeeping.config.js';
import { Housekeeping, type Chores } from '#jobs/housekeeping.js';
import { DeadLetters } from '#messaging/dead-letters.js';
import { cleanSpoolDirectory } from '#storage/body-spool.js';
import { IdempotencyKeys } from './idempotency/idempotency-keys.js';
import { GatewayConfig } from './gateway.config.js';
import { GatewayOutbox } from './gateway-outbox.js';
import { RateLimiter } from './limits/rate-limiter.js';

/** Removes what has outlived its days; spooled bodies of a process that died are removed at the start. */
@Injectable()
export class GatewayHousekeeping extends Housekeeping {
  protected readonly chores: Chores;

  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    @Inject(HousekeepingConfig) { HOUSEKEEPING_INTERVAL_MS, OUTBOX_DAYS }: HousekeepingConfig,
    @Inject(GatewayOutbox) outbox: GatewayOutbox,
    @Inject(IdempotencyKeys) keys: IdempotencyKeys,
    @Inject(RateLimiter) rates: RateLimiter,
    @Inject(DeadLetters) deadLetters: DeadLetters,
  ) {
    super(HOUSEKEEPING_INTERVAL_MS);
    this.chores = {
      'published outbox rows': () => outbox.deletePublished(OUTBOX_DAYS),
      'idempotency keys': () => keys.removeOld(),
      'rate windows': () => rates.removeOld(),
      'dead letters': () => deadLetters.deleteOld(),
    };
  }

  async onModuleInit(): Promise<void> {
    await cleanSpoolDirectory(this.config.SPOOL_DIRECTORY);
  }
}
