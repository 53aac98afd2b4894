import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppError, type Problem } from '#contracts/errors.js';
import type { ImportFormat, ImportStatus } from '#contracts/cost-import.js';
import { GatewayConfig } from '../gateway.config.js';

/** What a request with an Idempotency-Key is known by. */
export interface KeyedRequest {
  assetId: string;
  endpoint: 'cost-import' | 'cost-import/async';
  key: string;
  bodySha256: string;
  format: ImportFormat;
}

/** How the first request with a key ended: with a job, or refused before there was one. */
export type FirstResult = { importId: string; status: ImportStatus; error: Problem | null } | { problem: Problem };

interface KeyRow {
  body_sha256: string;
  content_type: string;
  import_id: string | null;
  problem: Problem | null;
  status: ImportStatus | null;
  error: Problem | null;
}

/** Remembers keys in the transaction that creates the job; the job's own record is the answer to a repetition. */
@Injectable()
export class IdempotencyKeys {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
  ) {}

  /**
   * The result of the first request with this key. A key whose import failed with 5xx or 504 is free again.
   *
   * @throws AppError `idempotency_key_reused` for another body or type
   */
  async find(request: KeyedRequest): Promise<FirstResult | undefined> {
    const [row] = await this.dataSource.query<KeyRow[]>(
      `SELECT k.body_sha256, k.content_type, k.import_id, k.problem, j.status, j.error
         FROM access.idempotency_key k LEFT JOIN imports.job j ON j.asset_id = k.asset_id AND j.import_id = k.import_id
        WHERE k.asset_id = $1 AND k.endpoint = $2 AND k.key = $3 AND k.created_at > now() - $4 * interval '1 day'`,
      [request.assetId, request.endpoint, request.key, this.config.IDEMPOTENCY_DAYS],
    );
    if (row === undefined || isFree(row, request)) return undefined;
    if (row.body_sha256 !== request.bodySha256 || row.content_type !== request.format) {
      throw new AppError('idempotency_key_reused', 'This Idempotency-Key came before with another body or type.');
    }
    if (row.problem !== null) return { problem: row.problem };
    return row.import_id === null || row.status === null
      ? undefined
      : { importId: row.import_id, status: row.status, error: row.error };
  }

  /**
   * Takes the key, in the transaction of what it stands for.
   *
   * @returns false when another request holds it: look again
   */
  async take(
    request: KeyedRequest,
    result: { importId: string } | { problem: Problem },
    manager = this.dataSource.manager,
  ): Promise<boolean> {
    const statement = `
      INSERT INTO access.idempotency_key AS k (asset_id, endpoint, key, body_sha256, content_type, import_id, problem) VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (asset_id, endpoint, key) DO UPDATE
         SET body_sha256 = excluded.body_sha256, content_type = excluded.content_type, import_id = excluded.import_id, problem = excluded.problem, created_at = now()
       WHERE k.created_at <= now() - $8 * interval '1 day'
          OR ($2 = 'cost-import' AND EXISTS (SELECT 1 FROM imports.job j WHERE j.asset_id = k.asset_id AND j.import_id = k.import_id
                                                AND j.status = 'failed' AND (j.error->>'status')::int >= 500))
      RETURNING 1 AS taken`;
    const parameters = [
      request.assetId,
      request.endpoint,
      request.key,
      request.bodySha256,
      request.format,
      'importId' in result ? result.importId : null,
      'problem' in result ? result.problem : null,
      this.config.IDEMPOTENCY_DAYS,
    ];
    const rows = await manager.query<unknown[]>(statement, parameters);
    return rows.length === 1;
  }

  /** Keys past their days; returns how many were removed. */
  async removeOld(): Promise<number> {
    const [, removed] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM access.idempotency_key WHERE created_at < now() - $1 * interval '1 day'`,
      [this.config.IDEMPOTENCY_DAYS],
    );
    return removed;
  }
}

/** An async request has succeeded with its 202; what becomes of the job is another matter. */
function isFree({ status, error }: KeyRow, { endpoint }: KeyedRequest): boolean {
  return endpoint === 'cost-import' && status === 'failed' && (error?.status ?? 500) >= 500;
}
