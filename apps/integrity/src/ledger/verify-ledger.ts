import type { DataSource, QueryRunner } from 'typeorm';
import type { PoolClient } from 'pg';
import type { Query } from '../scoring/query.js';
import { queryOn } from '../scoring/query.js';
import { freezeLedger, releaseLedger } from './ledger-alarm.js';
import { verifyChain, type VerifiedChain, type VerifyOptions } from './verify-chain.js';

/**
 * Verifies the whole ledger of an asset as of now, and acts on what it found: a broken one is frozen, and one that was
 * frozen and verifies again is released.
 */
export async function verifyLedger(
  dataSource: DataSource,
  assetId: string,
  options: Pick<VerifyOptions, 'objects' | 'configured' | 'signal'>,
): Promise<VerifiedChain> {
  const fresh: Query = (sql, parameters) => dataSource.query(sql, parameters);
  const chain = await inSnapshot(dataSource, (query) =>
    verifyChain(query, assetId, 0, { ...options, fresh, everyCheckpoint: true }),
  );
  if (chain.isBroken) await freezeLedger(fresh, assetId, chain.problem ?? 'no reason given');
  else if (chain.isVerified) await releaseLedger(fresh, assetId);
  return chain;
}

async function inSnapshot<T>(dataSource: DataSource, work: (query: Query) => Promise<T>): Promise<T> {
  const queryRunner: QueryRunner = dataSource.createQueryRunner();
  try {
    const client = (await queryRunner.connect()) as PoolClient;
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      return await work(queryOn(client));
    } finally {
      await client.query('ROLLBACK').catch(() => undefined);
    }
  } finally {
    await queryRunner.release();
  }
}
