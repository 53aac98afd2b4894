import { createHash, randomBytes } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { loggerFor } from '#runtime/logger.js';
import { LedgerBrokenError, type Ledger } from './ledger.js';

/** At most so many samples are erased in one transaction. */
const ERASE_AT_ONCE = 10_000;

/** An address that stands in an entry as a commitment. */
export interface Commitment {
  /** Of entries: SHA-256(salt ‖ address) in hex. */
  commitment: string;
  /** 16 random bytes. */
  salt: Buffer;
  /** Canonical text. */
  address: string;
}

export interface NewSample {
  /** Of the entry that holds the commitment. */
  entryHash: Buffer;
  salt: Buffer;
  address: string;
}

/** Commits to an address under a salt of its own: who does not know both can't tell which it is. */
export function commitmentOf(address: string, salt = randomBytes(16)): Commitment {
  return { commitment: commit(salt, address), salt, address };
}

/** SHA-256(salt ‖ canonical address as ASCII) in hex. */
export function commit(salt: Buffer, address: string): string {
  return createHash('sha256').update(salt).update(address, 'latin1').digest('hex');
}

/** Keeps the addresses behind commitments, in the transaction that appends their entries. */
export async function storeSamples(
  client: PoolClient,
  assetId: string,
  samples: readonly NewSample[],
  expiresAt: Date,
): Promise<void> {
  if (samples.length === 0) return;
  await client.query(
    `INSERT INTO integrity.evidence_sample (asset_id, entry_hash, salt, ip, expires_at)
     SELECT $1, *, $5 FROM unnest($2::bytea[], $3::bytea[], $4::text[])`,
    [
      assetId,
      samples.map(({ entryHash }) => entryHash),
      samples.map(({ salt }) => salt),
      samples.map(({ address }) => address),
      expiresAt,
    ],
  );
}

/** Assets with samples past their days. */
async function assetsToErase(dataSource: DataSource, now: Date): Promise<string[]> {
  const rows = await dataSource.query<{ asset_id: string }[]>(
    'SELECT DISTINCT asset_id FROM integrity.evidence_sample WHERE expires_at < $1 ORDER BY asset_id',
    [now],
  );
  return rows.map(({ asset_id }) => asset_id);
}

/**
 * Removes samples of an asset past their days, in the caller's transaction, and writes into the ledger that it did. Of a
 * broken ledger, where nothing can be written, they go all the same: people's addresses don't wait for a repair.
 *
 * @returns how many; call again until it is 0
 */
async function eraseSamples(
  client: PoolClient,
  ledger: Ledger,
  assetId: string,
  now: Date,
  by = 'retention',
): Promise<number> {
  // Before rows are locked: appending takes the lock of the ledger first.
  const isBroken = await ledger.lock(client, assetId).then(
    () => false,
    (error: unknown) => {
      if (error instanceof LedgerBrokenError) return true;
      throw error;
    },
  );
  const { rowCount } = await client.query(
    `DELETE FROM integrity.evidence_sample WHERE (asset_id, entry_hash, salt) IN (
       SELECT asset_id, entry_hash, salt FROM integrity.evidence_sample
        WHERE asset_id = $1 AND expires_at < $2 LIMIT ${ERASE_AT_ONCE})`,
    [assetId, now],
  );
  const samples = rowCount ?? 0;
  if (samples === 0) return 0;
  if (isBroken) {
    loggerFor('ledger').warn({ assetId, samples }, 'samples were erased without an entry: the ledger is broken');
    return samples;
  }
  await ledger.append(client, assetId, [{ kind: 'erasure', payload: { samples, before: now.toISOString(), by } }], now);
  return samples;
}

/** Removes all samples past their days. @returns how many */
export async function eraseExpiredSamples(dataSource: DataSource, ledger: Ledger, now = new Date()): Promise<number> {
  let erased = 0;
  for (const assetId of await assetsToErase(dataSource, now)) {
    for (let samples = ERASE_AT_ONCE; samples === ERASE_AT_ONCE;) {
      samples = await dataSource.transaction(async ({ queryRunner }) => {
        if (queryRunner === undefined) throw new Error('The transaction has no query runner.');
        return eraseSamples((await queryRunner.connect()) as PoolClient, ledger, assetId, now);
      });
      erased += samples;
    }
  }
  return erased;
}
