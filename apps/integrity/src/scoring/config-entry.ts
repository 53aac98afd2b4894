import { createHash } from 'node:crypto';
import type { PoolClient } from 'pg';
import { canonicalJson } from '../ledger/canonical-json.js';
import { configPayload } from '../detection/limits.js';
import type { Ledger } from '../ledger/ledger.js';
import type { LedgerPayloads } from '../ledger/payloads.js';
import type { NetworkKnowledge } from '../networks/network-knowledge.js';

/** Writes what detection works with into the ledger, when it is not what stands there. */
export async function noteConfig(
  client: PoolClient,
  assetId: string,
  timezone: string,
  { ledger, networks, now }: { ledger: Ledger; networks: NetworkKnowledge; now: Date },
): Promise<void> {
  const payload: LedgerPayloads['config'] = { ...configPayload(), data_dates: { asn: networks.dataDate }, timezone };
  const hash = createHash('sha256').update(canonicalJson(payload)).digest('hex');
  const { rows } = await client.query<{ config_hash: string | null }>(
    'SELECT config_hash FROM integrity.asset_state WHERE asset_id = $1',
    [assetId],
  );
  if (rows[0]?.config_hash === hash) return;
  const [entry] = await ledger.append(client, assetId, [{ kind: 'config', payload }], now);
  await client.query(
    `INSERT INTO integrity.asset_state (asset_id, config_seq, config_hash) VALUES ($1, $2, $3)
     ON CONFLICT (asset_id) DO UPDATE SET config_seq = excluded.config_seq, config_hash = excluded.config_hash`,
    [assetId, entry?.seq, hash],
  );
}
