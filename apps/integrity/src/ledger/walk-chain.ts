import type { Query } from '../scoring/query.js';
import { genesisHash } from './ledger.js';
import { appendToRange, leafHash } from './merkle.js';
import type { Finding } from './findings.js';

const PAGE = 1_000;
/** `2026-09-30T21:59:59.007Z`. */
const AT_CHARACTERS = 24;

/** What is known of a chain after one more entry. */
export interface ChainState {
  /** Entries so far. */
  size: number;
  /** entry_hash of the last, as computed. */
  lastHash: Buffer;
  /** Compact Merkle range over the computed hashes. */
  range: Buffer[];
}

export interface WalkOptions {
  /** Called after each entry, with its body and the state that it leads to. */
  onEntry?: (entry: { kind: string; body: string }, state: ChainState) => void;
  /** Called before the entries up to this seq are taken. */
  beforePage?: (lastSeq: number) => Promise<void>;
  onFinding: (finding: Finding) => void;
  signal?: AbortSignal | undefined;
}

interface Row {
  seq: string;
  kind: string;
  body: string;
  prev_hash: Buffer;
  entry_hash: Buffer;
}

/**
 * Rehashes the entries of an asset from the first to the last that is there, in flat memory. Hashes of the tree are those
 * computed from the bodies, whatever stands beside them.
 */
export async function walkChain(query: Query, assetId: string, options: WalkOptions): Promise<ChainState> {
  const state: ChainState = { size: 0, lastHash: genesisHash(assetId), range: [] };
  const page = (after: number): Promise<Row[]> =>
    query<Row>(
      `SELECT seq, kind, body, prev_hash, entry_hash FROM integrity.evidence_entry
        WHERE asset_id = $1 AND seq > $2 ORDER BY seq LIMIT ${PAGE}`,
      [assetId, after],
    );
  let rows = await page(Number.MIN_SAFE_INTEGER);
  while (rows.length > 0) {
    options.signal?.throwIfAborted();
    const last = Number(rows.at(-1)?.seq);
    await options.beforePage?.(last);
    // The database reads the next page while this one is hashed.
    const next = rows.length < PAGE ? Promise.resolve([]) : page(last);
    next.catch(() => undefined);
    for (const row of rows) takeEntry(state, assetId, row, options);
    rows = await next;
  }
  return state;
}

function takeEntry(state: ChainState, assetId: string, row: Row, { onEntry, onFinding }: WalkOptions): void {
  const seq = Number(row.seq);
  const wrong = (text: string): void => {
    onFinding({ seq, text: `entry ${seq} ${text}`, breaks: true });
  };
  const prev = state.lastHash;
  const hash = leafHash(row.body);
  if (seq !== state.size + 1) wrong(`stands where entry ${state.size + 1} should be`);
  if (!row.prev_hash.equals(prev)) wrong('does not follow the entry before it');
  if (!row.entry_hash.equals(hash)) wrong('does not have the hash of its body');
  if (!framed(row.body, assetId, row.kind, prev.toString('hex'), state.size + 1))
    wrong('has a body that is not of this place');
  state.size++;
  state.lastHash = hash;
  state.range = appendToRange(state.range, state.size - 1, hash);
  onEntry?.(row, state);
}

/** Whether the canonical body says this asset, kind, predecessor and seq; the payload stands between. */
function framed(body: string, assetId: string, kind: string, prev: string, seq: number): boolean {
  const start = `{"asset":"${assetId}","at":"`;
  return (
    body.startsWith(start) &&
    body.startsWith(`","kind":"${kind}","payload":{`, start.length + AT_CHARACTERS) &&
    body.endsWith(`},"prev":"${prev}","seq":${seq},"v":1}`)
  );
}
