import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { Ledger } from '#apps/integrity/src/ledger/ledger.js';
import { verifyLedger } from '#apps/integrity/src/ledger/verify-ledger.js';
import { createDataSource } from '#database/data-source.js';
import { migrate } from '#database/migrate.js';
import { startPostgres } from '#postgres-server/start-postgres.js';
import { DirectoryStore } from '#storage/directory.store.js';
import { StorageConfig } from '#storage/storage.config.js';
import { type Ending, temporaryFolder } from './ending.js';
import { detectionEntries } from './ledger-entries.js';
import { type Figure, seconds } from './measure.js';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const BATCHED = 10_000;
const BATCH = 200;
const SINGLE = 200;
const WRITERS = 8;
const VERIFIED = 30_000;

/** What the goals of the ledger say of a second: entries appended in batches, one by one, and verified. */
export async function ledger(ending: Ending): Promise<Figure[]> {
  const folder = await temporaryFolder(ending);
  const dataSource = await migrated(folder, ending);
  const service = new Ledger({ SERVICE_NAME: 'tallyport' });
  const append = (asset: string, count: number): Promise<unknown> =>
    dataSource.transaction(async ({ queryRunner }) => {
      const client = (await queryRunner?.connect()) as PoolClient;
      await service.append(client, asset, detectionEntries(count));
    });
  const objects = new DirectoryStore(
    Object.assign(new StorageConfig(), { STORAGE_DIRECTORY: join(folder, 'objects') }),
  );
  const [batched, single, verified]: number[][] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const asset = randomUUID();
    batched?.push(
      await seconds(async () => {
        for (let done = 0; done < BATCHED; done += BATCH) await append(asset, BATCH);
      }),
    );
    single?.push(
      await seconds(() =>
        Promise.all(
          Array.from({ length: WRITERS }, async () => {
            for (let done = 0; done < SINGLE / WRITERS; done++) await append(asset, 1);
          }),
        ),
      ),
    );
    for (let size = BATCHED + SINGLE; size < VERIFIED; size += BATCH) await append(asset, BATCH);
    verified?.push(
      await seconds(async () => {
        const { size, isBroken } = await verifyLedger(dataSource, asset, { objects });
        if (size !== VERIFIED || isBroken) throw new Error(`The ledger of ${size} entries does not verify.`);
      }),
    );
  }
  return [
    { name: `${BATCHED} entries appended in batches of ${BATCH}`, unit: 's', values: batched ?? [], goal: 1 },
    { name: `${SINGLE} entries appended one by one by ${WRITERS} writers`, unit: 's', values: single ?? [], goal: 1 },
    { name: `${VERIFIED} entries verified`, unit: 's', values: verified ?? [], goal: 1 },
  ];
}

async function migrated(folder: string, ending: Ending): Promise<DataSource> {
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres') });
  ending.add(() => postgres.stop());
  const dataSource = await createDataSource({ DATABASE_URL: postgres.url, DATABASE_POOL_SIZE: 10 }).initialize();
  ending.add(() => dataSource.destroy());
  await migrate(dataSource);
  return dataSource;
}
