import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Permission, Restriction } from '#contracts/permissions.js';
import { parseToken, secretMatches } from './api-token.js';

/** What a principal may do in one asset. */
export interface Membership {
  assetId: string;
  assetName: string;
  timezone: string;
  currency: string;
  permissions: readonly Permission[];
  restrictions: readonly Restriction[];
}

/** Who makes the request, and all assets that its token sees. */
export interface Caller {
  principalId: string;
  principalName: string;
  tokenId: string;
  memberships: readonly Membership[];
}

interface AccessRow {
  secret_sha256: Buffer;
  valid: boolean;
  principal_id: string;
  principal_name: string;
  memberships: Membership[];
}

@Injectable()
export class AccessService {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** The caller of a token that is known, not expired and not revoked. Asked at each request: revoking works at once. */
  async authenticate(token: string): Promise<Caller | undefined> {
    const parts = parseToken(token);
    if (parts === undefined) return undefined;
    const [row] = await this.dataSource.query<AccessRow[]>(BY_TOKEN, [parts.tokenId]);
    if (row === undefined || !secretMatches(parts.secret, row.secret_sha256) || !row.valid) return undefined;
    return {
      principalId: row.principal_id,
      principalName: row.principal_name,
      tokenId: parts.tokenId,
      memberships: row.memberships,
    };
  }

  /** The asset that an object belongs to; `table` and `idColumn` are constants of ours. */
  async assetOf({ table, idColumn }: OwnedObject, id: string): Promise<string | undefined> {
    const [row] = await this.dataSource.query<{ asset_id: string }[]>(
      `SELECT asset_id FROM ${table} WHERE ${idColumn} = $1`,
      [id],
    );
    return row?.asset_id;
  }
}

/** Where an object that is addressed by its id alone is kept. */
export type OwnedObject =
  | { table: 'imports.job'; idColumn: 'import_id' }
  | { table: 'exports.job'; idColumn: 'export_id' }
  | { table: 'modeling.run'; idColumn: 'run_id' }
  | { table: 'modeling.lift_test'; idColumn: 'test_id' };

const BY_TOKEN = `
  SELECT t.secret_sha256, p.principal_id, p.name AS principal_name,
         t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now()) AS valid,
         COALESCE((
           SELECT json_agg(json_build_object('assetId', a.asset_id, 'assetName', a.name, 'timezone', a.timezone, 'currency', a.currency,
                                             'permissions', m.permissions, 'restrictions', m.restrictions))
             FROM access.membership m JOIN access.asset a USING (asset_id) WHERE m.principal_id = p.principal_id), '[]') AS memberships
    FROM access.api_token t JOIN access.principal p USING (principal_id) WHERE t.token_id = $1`;
