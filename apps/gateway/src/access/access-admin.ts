import type { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { PERMISSIONS, RESTRICTIONS, type Permission, type Restriction } from '#contracts/permissions.js';
import { newToken } from './api-token.js';

/** A wish that can't be fulfilled; the message is one sentence for a person. */
class AccessAdminError extends Error {}

export interface AssetRecord {
  asset_id: string;
  name: string;
  timezone: string;
  currency: string;
  created_at: string;
}

export interface MemberRecord {
  asset_id: string;
  principal: string;
  permissions: Permission[];
  restrictions: Restriction[];
}

export interface TokenRecord {
  token_id: string;
  principal: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
}

/** Assets, members and tokens, as the command line and the first start of the embedded mode set them up. */
export class AccessAdmin {
  constructor(private readonly dataSource: DataSource) {}

  /** @param timezone IANA name @param currency three letters */
  async createAsset(name: string, timezone: string, currency: string): Promise<AssetRecord> {
    if (name.trim() === '') throw new AccessAdminError('The name of an asset must not be empty.');
    const zone = await this.timezoneNamed(timezone);
    if (!/^[A-Za-z]{3}$/.test(currency))
      throw new AccessAdminError(`"${currency}" is not a currency: give three letters such as EUR.`);
    const [asset] = await this.dataSource.query<AssetRecord[]>(
      `INSERT INTO access.asset (asset_id, name, timezone, currency) VALUES ($1, $2, $3, $4) RETURNING *`,
      [uuidv7(), name.trim(), zone, currency.toUpperCase()],
    );
    if (asset === undefined) throw new Error('The asset was not created.');
    return plain(asset);
  }

  async listAssets(): Promise<AssetRecord[]> {
    const assets = await this.dataSource.query<AssetRecord[]>(
      'SELECT * FROM access.asset ORDER BY created_at, asset_id',
    );
    return assets.map(plain);
  }

  /** Makes the principal when there is none of that name; a member's permissions are replaced, its restrictions stay. */
  async addMember(assetId: string, principal: string, permissions: readonly string[]): Promise<MemberRecord> {
    const known = oneOf(PERMISSIONS, permissions, 'permission');
    await this.requireAsset(assetId);
    const principalId = await this.ensurePrincipal(principal);
    await this.dataSource.query(
      `INSERT INTO access.membership (asset_id, principal_id, permissions) VALUES ($1, $2, $3)
       ON CONFLICT (asset_id, principal_id) DO UPDATE SET permissions = excluded.permissions`,
      [assetId, principalId, known],
    );
    return this.member(assetId, principal);
  }

  /** Replaces what is withheld from a member; none lifts all restrictions. */
  async restrictMember(assetId: string, principal: string, restrictions: readonly string[]): Promise<MemberRecord> {
    const known = oneOf(RESTRICTIONS, restrictions, 'restriction');
    await this.member(assetId, principal);
    await this.dataSource.query(
      `UPDATE access.membership m SET restrictions = $3 FROM access.principal p
        WHERE p.principal_id = m.principal_id AND m.asset_id = $1 AND p.name = $2`,
      [assetId, principal, known],
    );
    return this.member(assetId, principal);
  }

  async removeMember(assetId: string, principal: string): Promise<MemberRecord> {
    const member = await this.member(assetId, principal);
    await this.dataSource.query(
      `DELETE FROM access.membership m USING access.principal p WHERE p.principal_id = m.principal_id AND m.asset_id = $1 AND p.name = $2`,
      [assetId, principal],
    );
    return member;
  }

  /** The token itself is shown here and never again. */
  async createToken(
    principal: string,
    expiresInDays?: number,
  ): Promise<{ token_id: string; token: string; expires_at: string | null }> {
    const [known] = await this.dataSource.query<{ principal_id: string }[]>(
      'SELECT principal_id FROM access.principal WHERE name = $1',
      [principal],
    );
    if (known === undefined)
      throw new AccessAdminError(`There is no principal "${principal}": add it to an asset first.`);
    const { tokenId, token, secretSha256 } = newToken();
    const [row] = await this.dataSource.query<{ expires_at: Date | null }[]>(
      `INSERT INTO access.api_token (token_id, principal_id, secret_sha256, expires_at) VALUES ($1, $2, $3, now() + $4::float8 * interval '1 day') RETURNING expires_at`,
      [tokenId, known.principal_id, secretSha256, expiresInDays ?? null],
    );
    return { token_id: tokenId, token, expires_at: row?.expires_at?.toISOString() ?? null };
  }

  /** Works at once. Revoking twice keeps the first time. */
  async revokeToken(tokenId: string): Promise<TokenRecord> {
    await this.dataSource.query(
      'UPDATE access.api_token SET revoked_at = COALESCE(revoked_at, now()) WHERE token_id = $1',
      [tokenId],
    );
    const token = (await this.listTokens()).find(({ token_id }) => token_id === tokenId);
    if (token === undefined) throw new AccessAdminError(`There is no token ${tokenId}.`);
    return token;
  }

  async listTokens(): Promise<TokenRecord[]> {
    const rows = await this.dataSource.query<TokenRecord[]>(
      `SELECT t.token_id, p.name AS principal, t.created_at, t.expires_at, t.revoked_at
         FROM access.api_token t JOIN access.principal p USING (principal_id) ORDER BY t.created_at, t.token_id`,
    );
    return rows.map(plain);
  }

  private async member(assetId: string, principal: string): Promise<MemberRecord> {
    await this.requireAsset(assetId);
    const [row] = await this.dataSource.query<MemberRecord[]>(
      `SELECT m.asset_id, p.name AS principal, m.permissions, m.restrictions
         FROM access.membership m JOIN access.principal p USING (principal_id) WHERE m.asset_id = $1 AND p.name = $2`,
      [assetId, principal],
    );
    if (row === undefined) throw new AccessAdminError(`"${principal}" is no member of the asset ${assetId}.`);
    return row;
  }

  /** In the database's spelling: Intl resolves Asia/Kolkata to an older name, which nobody gave. */
  private async timezoneNamed(name: string): Promise<string> {
    const [known] = await this.dataSource.query<{ name: string }[]>(
      'SELECT name FROM pg_timezone_names WHERE lower(name) = lower($1)',
      [name],
    );
    if (known === undefined || !isTimezone(known.name))
      throw new AccessAdminError(`"${name}" is not a time zone: give an IANA name such as Europe/Berlin.`);
    return known.name;
  }

  private async requireAsset(assetId: string): Promise<void> {
    const rows = await this.dataSource.query<unknown[]>('SELECT 1 FROM access.asset WHERE asset_id::text = lower($1)', [
      assetId,
    ]);
    if (rows.length === 0) throw new AccessAdminError(`There is no asset ${assetId}.`);
  }

  private async ensurePrincipal(name: string): Promise<string> {
    if (name.trim() === '') throw new AccessAdminError('The name of a principal must not be empty.');
    const [row] = await this.dataSource.query<{ principal_id: string }[]>(
      `INSERT INTO access.principal (principal_id, name) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING principal_id`,
      [uuidv7(), name],
    );
    if (row === undefined) throw new Error('The principal was not created.');
    return row.principal_id;
  }
}

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function oneOf<T extends string>(known: readonly T[], given: readonly string[], what: string): T[] {
  return given.map((name) => {
    const found = known.find((one) => one === name);
    if (found === undefined) throw new AccessAdminError(`"${name}" is no ${what}: choose from ${known.join(', ')}.`);
    return found;
  });
}

/** Dates as RFC 3339. */
function plain<T extends object>(row: T): T {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, value instanceof Date ? value.toISOString() : (value as unknown)]),
  ) as T;
}
