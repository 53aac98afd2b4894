import { createHmac, randomBytes } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { readConsent } from '#contracts/collect/consent-record.js';
import { parseInstant } from '#contracts/collect/instant.js';
import type { ConsentRecord } from '#contracts/collect/collected.js';
import { KnownAssets } from '#ingest/known-assets.js';
import type { CollectedMessage, Refuse } from '#ingest/collected-message.js';
import { ingestTransaction } from '#ingest/ingest-transaction.js';
import { addProcessed, noteMessages } from '#ingest/processed.js';
import { readRecords } from './read-records.js';
import { timestamp } from '#ingest/sql.js';

const KEY_BYTES = 32;

/** Takes consent decisions; the same `consent_id` again changes nothing. */
export class ConsentIngest {
  private readonly assets: KnownAssets;

  constructor(private readonly dataSource: DataSource) {
    this.assets = new KnownAssets(dataSource);
  }

  /** @throws UnknownAssetError */
  async ingest(
    assetId: string,
    messages: readonly CollectedMessage[],
    refuse: Refuse = () => Promise.resolve(),
    now = new Date(),
  ): Promise<void> {
    await this.assets.require(assetId);
    const { records, bad } = readRecords(messages, readConsent, now);
    for (const [place, refused] of bad.entries()) if (refused.length > 0) await refuse(place, refused);
    await ingestTransaction(this.dataSource, async (client) => {
      const counted = await noteMessages(client, 'reporting', messages);
      await store(client, assetId, records);
      await addProcessed(client, 'reporting', assetId, 'consent.recorded.v1', counted);
    });
  }
}

async function store(client: PoolClient, assetId: string, records: readonly ConsentRecord[]): Promise<void> {
  if (records.length === 0) return;
  const key = records.some(({ ip }) => ip !== null) ? await ipKey(client, assetId) : Buffer.alloc(0);
  const rows = records
    .map(({ ip, consent_at, ...record }) => ({
      ...record,
      consent_at: timestamp(parseInstant(consent_at) ?? 0),
      ip_hmac: ip === null ? null : createHmac('sha256', key).update(ip).digest('hex'),
    }))
    .sort((a, b) => (a.consent_id < b.consent_id ? -1 : a.consent_id > b.consent_id ? 1 : 0));
  await client.query(
    `INSERT INTO reporting.consent (asset_id, consent_id, consent_at, action, accepted, rejected, mode, revision,
                                    config_version, locale, distinct_id, ip_hmac)
     SELECT $1, consent_id, consent_at, action, accepted, rejected, mode, revision, config_version, locale, distinct_id,
            decode(ip_hmac, 'hex')
       FROM jsonb_to_recordset($2::jsonb) AS c (consent_id text, consent_at timestamptz, action text, accepted text[],
            rejected text[], mode text, revision text, config_version text, locale text, distinct_id text, ip_hmac text)
     ON CONFLICT DO NOTHING`,
    [assetId, JSON.stringify(rows)],
  );
}

/** The asset's own, made when it is first needed; whoever has the table but not the key can't try all addresses. */
async function ipKey(client: PoolClient, assetId: string): Promise<Buffer> {
  const { rows: known } = await client.query<{ ip_key: Buffer }>(
    'SELECT ip_key FROM reporting.asset_state WHERE asset_id = $1 AND ip_key IS NOT NULL',
    [assetId],
  );
  if (known[0] !== undefined) return known[0].ip_key;
  const { rows: made } = await client.query<{ ip_key: Buffer }>(
    `INSERT INTO reporting.asset_state AS s (asset_id, ip_key) VALUES ($1, $2)
     ON CONFLICT (asset_id) DO UPDATE SET ip_key = coalesce(s.ip_key, excluded.ip_key) RETURNING ip_key`,
    [assetId, randomBytes(KEY_BYTES)],
  );
  if (made[0] === undefined) throw new Error('The key of the asset was not stored.');
  return made[0].ip_key;
}
