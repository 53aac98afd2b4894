import pg from 'pg';
import { psql } from './psql.js';

/** The same import by hand: `\copy` into a temporary table, then an upsert into a table just like ours. */
export class PsqlBaseline {
  constructor(private readonly databaseUrl: string) {}

  async prepare(): Promise<void> {
    await this.query(
      'CREATE SCHEMA IF NOT EXISTS baseline; DROP TABLE IF EXISTS baseline.cost_row; CREATE TABLE baseline.cost_row (LIKE imports.cost_row INCLUDING ALL)',
    );
  }

  /** Empties both tables. */
  async clear(): Promise<void> {
    await this.query('TRUNCATE baseline.cost_row, imports.cost_row');
    await this.query('CHECKPOINT');
  }

  async import(file: string): Promise<void> {
    const script = `
      BEGIN;
      CREATE TEMP TABLE staging (line bigint GENERATED ALWAYS AS IDENTITY, date date, channel text, source text, campaign text, cost numeric, currency text, revenue numeric);
      \\copy staging (date, channel, source, campaign, cost, currency, revenue) FROM '${file}' WITH (FORMAT csv, HEADER, FORCE_NOT_NULL (source, campaign))
      INSERT INTO baseline.cost_row AS t (asset_id, import_id, line, date, cost, revenue, currency, channel, source, campaign)
        SELECT DISTINCT ON (date, channel, source, campaign)
               '00000000-0000-7000-8000-000000000001', gen_random_uuid(), line, date, cost, revenue, currency, channel, source, campaign
          FROM staging ORDER BY date, channel, source, campaign, line DESC
        ON CONFLICT (asset_id, date, channel, source, campaign) WHERE long_key IS NULL
        DO UPDATE SET import_id = excluded.import_id, line = excluded.line, cost = excluded.cost, currency = excluded.currency, revenue = excluded.revenue;
      COMMIT;`;
    await psql(this.databaseUrl, script);
  }

  private async query(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }
}
