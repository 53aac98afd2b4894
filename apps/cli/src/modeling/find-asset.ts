import type { DataSource } from 'typeorm';
import { validate } from 'uuid';
import { CommandFailure } from '../session.js';

/** The id of an asset as it is stored. @throws CommandFailure when there is none */
export async function findAsset(dataSource: DataSource, assetId: string): Promise<string> {
  const [asset] = validate(assetId)
    ? await dataSource.query<{ asset_id: string }[]>('SELECT asset_id FROM access.asset WHERE asset_id = $1', [assetId])
    : [];
  if (asset === undefined) throw new CommandFailure(`There is no asset ${assetId}.`);
  return asset.asset_id;
}
