import { join } from 'node:path';
import type { PoolClient } from 'pg';
import { configPayload } from '#apps/integrity/src/detection/limits.js';
import { Ledger } from '#apps/integrity/src/ledger/ledger.js';
import type { NewEntry } from '#apps/integrity/src/ledger/payloads.js';
import { createDataSource } from '#database/data-source.js';
import { type Ending, temporaryFolder } from './ending.js';
import { download, lastDays } from './export-client.js';
import { claimableDetection } from './ledger-entries.js';
import { type Figure, seconds } from './measure.js';
import { startStandalone } from './services.js';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const ENTRIES = 100_000;
const ROWS = 1_000;
const DAYS = 90;
const BATCH = 500;
const GOAL_SECONDS = 5;

/** A refund claim of 1,000 rows, with all of the ledger's 100,000 entries behind them, from request to last byte. */
export async function refundClaim(ending: Ending): Promise<Figure[]> {
  const credentials = await startStandalone(ending);
  const dataSource = await createDataSource({
    DATABASE_URL: credentials.database_url,
    DATABASE_POOL_SIZE: 2,
  }).initialize();
  ending.add(() => dataSource.destroy());
  const ledger = new Ledger({ SERVICE_NAME: 'tallyport' });
  const append = (entries: readonly NewEntry[]): Promise<unknown> =>
    dataSource.transaction(async ({ queryRunner }) => {
      await ledger.append((await queryRunner?.connect()) as PoolClient, credentials.asset_id, entries);
    });
  const config = { ...configPayload(), data_dates: { asn: '2026-06-17' }, timezone: 'UTC' };
  await append([{ kind: 'config', payload: config }]);
  const { from, to } = lastDays(DAYS);
  for (let done = 0; done < ENTRIES; done += BATCH) {
    await append(
      Array.from({ length: BATCH }, (_, index) => {
        const number = done + index;
        return claimableDetection(number % ROWS, 1 + (Math.floor(number / ROWS) % DAYS), number);
      }),
    );
  }
  const file = join(await temporaryFolder(ending), 'claim.csv');
  const values: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const took = await seconds(() =>
      download(credentials, `integrity/evidence/refund.csv?from=${from}&to=${to}`, file),
    );
    if (round > 0) values.push(took);
  }
  return [{ name: `refund claim of ${ROWS} rows over ${ENTRIES} entries`, unit: 's', values, goal: GOAL_SECONDS }];
}
