import type { KeyObject } from 'node:crypto';
import type { PoolClient } from 'pg';
import { type Ledger, readHead, type LedgerHead } from './ledger.js';
import { queryOn, type Query } from '../scoring/query.js';
import type { NewEntry } from './payloads.js';
import {
  formatVerifierKey,
  parseVerifierKey,
  publicKeyBytes,
  signBytes,
  signedBy,
  verifierKey,
  type VerifierKey,
} from './signed-note.js';
import type { SigningKeys } from './signing-keys.js';

/** A public key of a log, and for which checkpoints it signs. */
export interface LogKey extends VerifierKey {
  validFrom: Date;
  /** Null: it signs now. */
  validTo: Date | null;
}

/** Nothing can be signed for this log; the message says why. */
export class NoSigningKeyError extends Error {}

/** The keys of a log, newest last. */
export async function keysOfLog(query: Query, origin: string): Promise<LogKey[]> {
  const rows = await query<{ public_key: Buffer; valid_from: Date; valid_to: Date | null }>(
    `SELECT public_key, valid_from, valid_to FROM integrity.signing_key WHERE name = $1
      ORDER BY valid_to NULLS LAST, valid_from`,
    [origin],
  );
  return rows.map((row) => ({
    ...verifierKey(origin, row.public_key),
    validFrom: row.valid_from,
    validTo: row.valid_to,
  }));
}

/**
 * The key that signs for a log whose lock the caller holds. The first one is registered; when another takes over, both
 * sign an entry that says so.
 *
 * @returns the key and the head of the log, which a rotation has moved
 * @throws NoSigningKeyError without a key, or when the key before is needed and not there
 */
export async function signerOfLog(
  client: PoolClient,
  assetId: string,
  head: LedgerHead,
  { current, previous }: SigningKeys,
  ledger: Ledger,
): Promise<{ key: KeyObject; head: LedgerHead }> {
  if (current === undefined) throw new NoSigningKeyError('there is no signing key');
  const { origin } = head;
  const query = queryOn(client);
  const active = (await keysOfLog(query, origin)).at(-1);
  const wanted = verifierKey(origin, publicKeyBytes(current));
  if (active?.publicKey.equals(wanted.publicKey) === true && active.validTo === null) return { key: current, head };
  if (active === undefined) {
    await assertNothingSigned(query, assetId);
    await register(client, wanted);
    return { key: current, head };
  }
  if (previous === undefined || !publicKeyBytes(previous).equals(active.publicKey))
    throw new NoSigningKeyError(
      `the log is signed by the key ${active.id}, which is neither the key nor the one before`,
    );
  await ledger.append(client, assetId, [rotation(active, previous, wanted, current)]);
  await endKey(client, assetId, active);
  await register(client, wanted);
  const moved = await readHead(query, assetId);
  if (moved === undefined) throw new Error('The ledger has lost its head.');
  return { key: current, head: moved };
}

/** What both keys sign when one takes over: three lines, `key_rotation`, the old verifier key, the new one. */
function rotationText(oldKey: string, newKey: string): string {
  return `key_rotation\n${oldKey}\n${newKey}\n`;
}

/**
 * The keys that a `key_rotation` names, when both have signed it.
 *
 * @returns undefined when a signature is wrong or something is missing
 */
export function rotatedKeys(payload: unknown): { old: VerifierKey; new: VerifierKey } | undefined {
  const { old_key, new_key, signature_old, signature_new } = payload as Record<string, unknown>;
  if (![old_key, new_key, signature_old, signature_new].every((text) => typeof text === 'string')) return undefined;
  try {
    const keys = { old: parseVerifierKey(String(old_key)), new: parseVerifierKey(String(new_key)) };
    const text = Buffer.from(rotationText(String(old_key), String(new_key)));
    const isSigned =
      signedBy(text, Buffer.from(String(signature_old), 'base64'), keys.old) &&
      signedBy(text, Buffer.from(String(signature_new), 'base64'), keys.new);
    return isSigned ? keys : undefined;
  } catch {
    return undefined;
  }
}

function rotation(old: VerifierKey, oldPrivate: KeyObject, next: VerifierKey, nextPrivate: KeyObject): NewEntry {
  const [oldKey, newKey] = [formatVerifierKey(old), formatVerifierKey(next)];
  const text = Buffer.from(rotationText(oldKey, newKey));
  return {
    kind: 'key_rotation',
    payload: {
      old_key: oldKey,
      new_key: newKey,
      signature_old: signBytes(text, oldPrivate).toString('base64'),
      signature_new: signBytes(text, nextPrivate).toString('base64'),
      by: 'configuration',
    },
  };
}

/** A clock that was set back must not make it end before what it signed, or before the key that it took over from. */
async function endKey(client: PoolClient, assetId: string, { name, id }: VerifierKey): Promise<void> {
  await client.query(
    `UPDATE integrity.signing_key SET valid_to = greatest(clock_timestamp(),
            (SELECT max(created_at) FROM integrity.checkpoint WHERE asset_id = $1),
            (SELECT max(valid_to) FROM integrity.signing_key WHERE name = $2))
      WHERE name = $2 AND key_id = $3 AND valid_to IS NULL`,
    [assetId, name, id],
  );
}

async function register(client: PoolClient, { name, id, publicKey }: VerifierKey): Promise<void> {
  await client.query('INSERT INTO integrity.signing_key (name, key_id, public_key) VALUES ($1, $2, $3)', [
    name,
    id,
    publicKey,
  ]);
}

/** A log with checkpoints but without a key has been robbed of it: a new key would cover that up. */
async function assertNothingSigned(query: Query, assetId: string): Promise<void> {
  const signed = await query('SELECT FROM integrity.checkpoint WHERE asset_id = $1 LIMIT 1', [assetId]);
  if (signed.length > 0) throw new NoSigningKeyError('the log has checkpoints, but its key is not registered any more');
}
