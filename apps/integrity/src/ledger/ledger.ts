import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { queryOn, type Query } from '../scoring/query.js';
import { canonicalJson } from './canonical-json.js';
import { originOf } from './checkpoint-note.js';
import { LedgerConfig } from './ledger.config.js';
import { insertEntries, type EntryRow } from './entry-table.js';
import { appendToRange, leafHash } from './merkle.js';
import type { EntryBody, NewEntry } from './payloads.js';

/** A body larger than this is no evidence but a mistake. */
const MAX_BODY_BYTES = 1_000_000;

/** PostgreSQL: check violation, which the trigger raises, and unique violation. */
const REFUSED = new Set(['23514', '23505']);

/** Nothing is appended to the ledger of this asset, because it did not verify. */
export class LedgerBrokenError extends Error {
  constructor(
    readonly assetId: string,
    readonly reason: string,
  ) {
    super(`The ledger of asset ${assetId} is broken: ${reason}.`);
  }
}

/** The entry can't be written as it is: its body is too large. */
export class EntryTooLargeError extends Error {
  constructor(kind: string, bytes: number) {
    super(`An entry of kind ${kind} has a body of ${bytes} bytes; ${MAX_BODY_BYTES} are allowed.`);
  }
}

/** Where a log ends. */
export interface LedgerHead {
  /** Name of the log and of its keys. */
  origin: string;
  /** Entries; the next has seq `size` + 1. */
  size: number;
  /** entry_hash of the last entry, or the hash of the genesis. */
  lastHash: Buffer;
  /** Compact Merkle range over all entries. */
  range: Buffer[];
  /** Why nothing may be appended, or null. */
  brokenReason: string | null;
}

export interface AppendedEntry {
  seq: number;
  hash: Buffer;
}

/** SHA-256("genesis:" + asset id): what the first entry follows. */
export function genesisHash(assetId: string): Buffer {
  return createHash('sha256').update(`genesis:${assetId}`).digest();
}

/** Adds entries to the ledgers of assets, inside the transactions of its callers. */
@Injectable()
export class Ledger {
  /** Assets whose entries the database refused, and why: to be frozen once their transactions are over. */
  readonly refused = new Map<string, string>();

  constructor(@Inject(LedgerConfig) private readonly config: Pick<LedgerConfig, 'SERVICE_NAME'>) {}

  /**
   * Locks the ledger of an asset until the transaction ends, and says where it ends; the first call starts it. For
   * callers whose payload names a seq of the same batch: the next entry has seq `size` + 1. A transaction that locks
   * several assets takes them in the order of their ids.
   *
   * @throws LedgerBrokenError
   */
  async lock(client: PoolClient, assetId: string): Promise<LedgerHead> {
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended('ledger:' || $1::text, 0))", [assetId]);
    const head = (await readHead(queryOn(client), assetId)) ?? (await this.start(client, assetId));
    if (head.brokenReason !== null) throw new LedgerBrokenError(assetId, head.brokenReason);
    return head;
  }

  /**
   * Appends entries in their order. They and the new head become visible, or not, with the caller's transaction, which
   * must be READ COMMITTED: it has to see what others appended while it waited for the lock.
   *
   * @throws LedgerBrokenError · EntryTooLargeError · TypeError for a payload that canonical JSON can't say
   */
  async append(
    client: PoolClient,
    assetId: string,
    entries: readonly NewEntry[],
    at = new Date(),
  ): Promise<AppendedEntry[]> {
    if (entries.length === 0) return [];
    const head = await this.lock(client, assetId);
    let { size, lastHash, range } = head;
    const rows: EntryRow[] = [];
    for (const entry of entries) {
      const body = entryBody(assetId, size + 1, lastHash, at, entry);
      const hash = leafHash(body);
      rows.push({ seq: size + 1, kind: entry.kind, body, prev: lastHash, hash });
      range = appendToRange(range, size++, hash);
      lastHash = hash;
    }
    await this.insert(client, assetId, rows);
    await client.query('UPDATE integrity.ledger_head SET size = $2, last_hash = $3, range = $4 WHERE asset_id = $1', [
      assetId,
      size,
      lastHash,
      range,
    ]);
    return rows.map(({ seq, hash }) => ({ seq, hash }));
  }

  private async insert(client: PoolClient, assetId: string, rows: readonly EntryRow[]): Promise<void> {
    try {
      await insertEntries(client, assetId, rows);
    } catch (error) {
      if (!REFUSED.has(String((error as { code?: unknown }).code))) throw error;
      const broken = new LedgerBrokenError(assetId, `the head does not fit the entries (${(error as Error).message})`);
      this.refused.set(assetId, broken.reason);
      throw broken;
    }
  }

  private async start(client: PoolClient, assetId: string): Promise<LedgerHead> {
    const { rows } = await client.query('SELECT FROM integrity.evidence_entry WHERE asset_id = $1 LIMIT 1', [assetId]);
    if (rows.length > 0) throw new LedgerBrokenError(assetId, 'there are entries, but no head');
    const origin = originOf(this.config.SERVICE_NAME, assetId);
    const lastHash = genesisHash(assetId);
    await client.query(
      "INSERT INTO integrity.ledger_head (asset_id, origin, size, last_hash, range) VALUES ($1, $2, 0, $3, '{}')",
      [assetId, origin, lastHash],
    );
    return { origin, size: 0, lastHash, range: [], brokenReason: null };
  }
}

/** The canonical bytes of an entry, as they are stored and hashed. */
export function entryBody(assetId: string, seq: number, prev: Buffer, at: Date, { kind, payload }: NewEntry): string {
  const body: EntryBody = {
    v: 1,
    asset: assetId,
    seq,
    prev: prev.toString('hex'),
    kind,
    at: at.toISOString(),
    payload,
  };
  const text = canonicalJson(body);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BODY_BYTES) throw new EntryTooLargeError(kind, bytes);
  return text;
}

interface HeadRow {
  origin: string;
  size: string;
  last_hash: Buffer;
  range: Buffer[];
  broken_reason: string | null;
}

/** Undefined: the log has not started. */
export async function readHead(query: Query, assetId: string): Promise<LedgerHead | undefined> {
  const [row] = await query<HeadRow>(
    `SELECT origin, size, last_hash, range, CASE WHEN broken_at IS NOT NULL THEN coalesce(broken_reason, 'no reason given') END AS broken_reason
       FROM integrity.ledger_head WHERE asset_id = $1`,
    [assetId],
  );
  if (row === undefined) return undefined;
  const { origin, size, last_hash: lastHash, range, broken_reason: brokenReason } = row;
  return { origin, size: Number(size), lastHash, range, brokenReason };
}
