import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { AccessAdmin } from '#apps/gateway/src/access/access-admin.js';
import { AccessService } from '#apps/gateway/src/access/access.service.js';
import { PERMISSIONS } from '#contracts/permissions.js';
import { ConfigError } from '#runtime/config.js';

/** What a client of the embedded mode needs; in `credentials.json`, readable by its owner alone. */
export interface Credentials {
  base_url: string;
  asset_id: string;
  token: string;
  database_url: string;
}

const OWNER = 'owner';

/**
 * Makes the first asset with a token of every permission. Later starts keep both and renew the addresses; a token that
 * is lost or works no more is replaced.
 *
 * @throws ConfigError when the file is no JSON
 */
export async function ensureCredentials(
  dataSource: DataSource,
  home: string,
  baseUrl: string,
  databaseUrl: string,
): Promise<Credentials> {
  const file = join(home, 'credentials.json');
  const known = readCredentials(file);
  const admin = new AccessAdmin(dataSource);
  const assets = await admin.listAssets();
  const { asset_id: assetId } =
    assets.find(({ asset_id }) => asset_id === known.asset_id) ??
    assets[0] ??
    (await admin.createAsset('Demo Shop', 'UTC', 'USD'));
  const token = (await worksFor(dataSource, assetId, known.token)) ?? (await newToken(admin, assetId));
  const credentials: Credentials = { base_url: baseUrl, asset_id: assetId, token, database_url: databaseUrl };
  writeFileSync(`${file}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return credentials;
}

/** Empty when the file is not there. */
function readCredentials(file: string): Partial<Credentials> {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  try {
    return { ...(JSON.parse(text) as Partial<Credentials>) };
  } catch {
    throw new ConfigError(`${file} is not JSON: remove it, and the next start writes a new one with a new token.`);
  }
}

/** @returns the token, unless it is unknown, expired or revoked, or may do less than everything in this asset */
async function worksFor(dataSource: DataSource, assetId: string, token = ''): Promise<string | undefined> {
  const caller = await new AccessService(dataSource).authenticate(token);
  const membership = caller?.memberships.find((one) => one.assetId === assetId);
  return PERMISSIONS.every((permission) => membership?.permissions.includes(permission)) ? token : undefined;
}

async function newToken(admin: AccessAdmin, assetId: string): Promise<string> {
  await admin.addMember(assetId, OWNER, PERMISSIONS);
  return (await admin.createToken(OWNER)).token;
}
