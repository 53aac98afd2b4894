import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { AccessAdmin } from '#apps/gateway/src/access/access-admin.js';
import { PERMISSIONS } from '#contracts/permissions.js';

/** What a client of the embedded mode needs; in `credentials.json`, readable by its owner alone. */
export interface Credentials {
  base_url: string;
  asset_id: string;
  token: string;
  database_url: string;
}

const OWNER = 'owner';

/** Makes the first asset with a token of every permission; at later starts only the addresses may change. */
export async function ensureCredentials(
  dataSource: DataSource,
  home: string,
  baseUrl: string,
  databaseUrl: string,
): Promise<Credentials> {
  const file = join(home, 'credentials.json');
  const addresses = { base_url: baseUrl, database_url: databaseUrl };
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Credentials) : undefined;
  const admin = new AccessAdmin(dataSource);
  const assets = await admin.listAssets();
  const asset =
    assets.find(({ asset_id }) => asset_id === known?.asset_id) ??
    assets[0] ??
    (await admin.createAsset('Demo Shop', 'UTC', 'USD'));
  let token = known?.asset_id === asset.asset_id ? known.token : undefined;
  if (token === undefined) {
    await admin.addMember(asset.asset_id, OWNER, PERMISSIONS);
    ({ token } = await admin.createToken(OWNER));
  }
  const credentials: Credentials = { ...addresses, asset_id: asset.asset_id, token };
  const { base_url, asset_id, database_url } = credentials;
  writeFileSync(`${file}.new`, `${JSON.stringify({ base_url, asset_id, token, database_url }, null, 2)}\n`, {
    mode: 0o600,
  });
  renameSync(`${file}.new`, file);
  return credentials;
}
