import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { loggerFor } from '#runtime/logger.js';
import { gauge } from '#runtime/metrics.js';
import { ObjectStore } from '#storage/object-store.js';
import { LedgerConfig } from './ledger.config.js';
import { SigningKeys } from './signing-keys.js';
import { verifyLedger } from './verify-ledger.js';

const LOOK_EVERY_MS = 600_000;
const HOUR_MS = 3_600_000;

/** Verifies every ledger from its first entry once a day; several processes share the work. */
@Injectable()
export class LedgerWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = loggerFor('ledger');
  private readonly stopping = new AbortController();
  private rounds: Promise<void> = Promise.resolve();

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(ObjectStore) private readonly objects: ObjectStore,
    @Inject(SigningKeys) private readonly keys: SigningKeys,
    @Inject(LedgerConfig) private readonly config: LedgerConfig,
  ) {}

  onApplicationBootstrap(): void {
    const { dataSource } = this;
    gauge({
      name: 'tallyport_integrity_ledgers_broken',
      help: 'Ledgers that are frozen because they did not verify',
      async collect() {
        this.set(await brokenLedgers(dataSource));
      },
    });
    this.rounds = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.rounds;
  }

  /** Verifies every ledger that was not looked at since the hour came last. @returns how many */
  async round(now = new Date()): Promise<number> {
    const { signal } = this.stopping;
    let verified = 0;
    for (let asset = await this.claim(now); asset !== undefined; asset = await this.claim(now)) {
      const configured = [this.keys.current, this.keys.previous].filter((key) => key !== undefined);
      const { isVerified, problem, size } = await verifyLedger(this.dataSource, asset, {
        objects: this.objects,
        configured,
        signal,
      });
      verified++;
      if (!isVerified)
        this.log.error({ assetId: asset, size, problem }, 'the ledger of an asset could not be verified');
    }
    return verified;
  }

  /** Marked by the later of both clocks: with a database behind this process it would be due again at once. */
  private async claim(now: Date): Promise<string | undefined> {
    const [[row]] = await this.dataSource.query<[{ asset_id: string }[], number]>(
      `UPDATE integrity.ledger_head SET verified_at = greatest(clock_timestamp(), $2)
        WHERE asset_id = (SELECT asset_id FROM integrity.ledger_head WHERE verified_at < $1
                           ORDER BY verified_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING asset_id`,
      [lastHour(now, this.config.LEDGER_VERIFY_HOUR), now],
    );
    return row?.asset_id;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (await sleep(LOOK_EVERY_MS * (0.5 + Math.random()), true, { signal, ref: false }).catch(() => false)) {
      await this.round().catch((error: unknown) => {
        if (!signal.aborted) this.log.warn({ err: error }, 'ledgers could not be verified, later again');
      });
    }
  }
}

/** When this hour of the day began last, in UTC. */
export function lastHour(now: Date, hour: number): Date {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()) + hour * HOUR_MS;
  return new Date(today <= now.getTime() ? today : today - 24 * HOUR_MS);
}

async function brokenLedgers(dataSource: DataSource): Promise<number> {
  if (!dataSource.isInitialized) return 0;
  const [row] = await dataSource.query<[{ count: number }]>(
    'SELECT count(*)::int AS count FROM integrity.ledger_head WHERE broken_at IS NOT NULL',
  );
  return row.count;
}
