import type { PoolClient } from 'pg';
import { UnknownAssetError } from '#ingest/known-assets.js';

export interface AssetVersions {
  timezone: string;
  currency: string;
  /** Of the rollups that are read. */
  version: number;
  /** That which a rebuild makes beside it. */
  building: number | null;
}

/** @throws UnknownAssetError */
export async function assetVersions(client: PoolClient, assetId: string): Promise<AssetVersions> {
  const { rows } = await client.query<AssetVersions>(
    `SELECT a.timezone, a.currency, coalesce(s.version, 1) AS version, s.building
       FROM access.asset a LEFT JOIN reporting.asset_state s USING (asset_id) WHERE a.asset_id = $1`,
    [assetId],
  );
  const [asset] = rows;
  if (asset === undefined) throw new UnknownAssetError(assetId);
  return asset;
}
