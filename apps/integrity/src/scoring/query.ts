import type { PoolClient } from 'pg';

/** Runs a statement on one connection. */
export type Query = <Row>(sql: string, parameters?: unknown[]) => Promise<Row[]>;

export function queryOn(client: PoolClient): Query {
  return async <Row>(sql: string, parameters: unknown[] = []) => (await client.query(sql, parameters)).rows as Row[];
}
