import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppError, type Problem } from '#contracts/errors.js';
import { GatewayConfig } from '../gateway.config.js';

/** What a request with an Idempotency-Key is known by. */
export interface KeyedRequest {
  assetId: string;
  endpoint: 'cost-import' | 'cost-import/async' | 'mmm/runs' | 'lift/tests';
  key: string;
  /** Of the inflated body, in hex. */
  bodySha256: string;
  /** The form of the body: another one is another body. */
  type: 'csv' | 'json';
  /** SQL over the row `k` of the key, a constant of ours: whether what the first request made has failed, so that the key is free again. */
  freedWhen?: string;
}

/** How the first request with a key ended: it made something, or was refused before. */
export type FirstResult = { resourceId: string } | { problem: Problem };

interface KeyRow {
  body_sha256: string;
  content_type: string;
  resource_id: string | null;
  problem: Problem | null;
  freed: boolean;
}

/** Remembers keys in the transaction that makes what they stand for; its own record is the answer to a repetition. */
@Injectable()
export class IdempotencyKeys {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
  ) {}

  /**
   * The result of the first request with this key; undefined when the key is free.
   *
   * @throws AppError `idempotency_key_reused` for another body or type
   */
  async find(request: KeyedRequest): Promise<FirstResult | undefined> {
    const [row] = await this.dataSource.query<KeyRow[]>(
      `SELECT k.body_sha256, k.content_type, k.resource_id, k.problem, ${request.freedWhen ?? 'false'} AS freed
         FROM access.idempotency_key k
        WHERE k.asset_id = $1 AND k.endpoint = $2 AND k.key = $3 AND k.created_at > now() - $4 * interval '1 day'`,
      [request.assetId, request.endpoint, request.key, this.config.IDEMPOTENCY_DAYS],
    );
    if (row === undefined || row.freed) return undefined;
    if (row.body_sha256 !== request.bodySha256 || row.content_type !== request.type) {
      throw new AppError('idempotency_key_reused', 'This Idempotency-Key came before with another body or type.');
    }
    if (row.problem !== null) return { problem: row.problem };
    return row.resource_id === null ? undefined : { resourceId: row.resource_id };
  }

  /**
   * The first result of a key that another request holds.
   *
   * @throws AppError `unavailable` when that one has just failed · as `find` does
   */
  async findHeld(request: KeyedRequest): Promise<FirstResult> {
    const first = await this.find(request);
    if (first !== undefined) return first;
    throw new AppError('unavailable', 'Another request with the same Idempotency-Key is ending; try again.', {
      headers: { 'Retry-After': '1' },
    });
  }

  /**
   * Takes the key, in the transaction of what it stands for.
   *
   * @returns false when another request holds it: look again
   */
  async take(request: KeyedRequest, result: FirstResult, manager = this.dataSource.manager): Promise<boolean> {
    const statement = `
      INSERT INTO access.idempotency_key AS k (asset_id, endpoint, key, body_sha256, content_type, resource_id, problem) VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (asset_id, endpoint, key) DO UPDATE
         SET body_sha256 = excluded.body_sha256, content_type = excluded.content_type, resource_id = excluded.resource_id, problem = excluded.problem, created_at = now()
       WHERE k.created_at <= now() - $8 * interval '1 day' OR ${request.freedWhen ?? 'false'}
      RETURNING 1 AS taken`;
    const parameters = [
      request.assetId,
      request.endpoint,
      request.key,
      request.bodySha256,
      request.type,
      'resourceId' in result ? result.resourceId : null,
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
