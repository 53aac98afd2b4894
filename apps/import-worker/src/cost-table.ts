import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import copyStreams, { type CopyStreamQuery } from 'pg-copy-streams';
import type { QueryRunner } from 'typeorm';
import type { CostRow } from './cost-row.js';
import { SeenKeys } from './seen-keys.js';

/** Longer keys do not fit an index entry; see the migration. */
const LONGEST_INDEXED_BYTES = 2_000;
const FLUSH_CHARACTERS = 64 * 1024;
/** Up to so many rows, looking each key up in the index is quicker than reading all stored rows of the days. */
const MOST_LOOKUPS = 10_000;

export interface WriteCounts {
  /** Keys that were not stored before. */
  inserted: number;
  /** Stored rows that differ from before, new ones included. */
  changed: number;
}

/**
 * The write side of one import, inside its transaction: rows stream by COPY into a temporary table while the file is
 * parsed, then are compared with what is stored; only what is new or different is written.
 */
export class CostTableWriter {
  private readonly keys = new SeenKeys();
  private lines = '';
  private rows = 0;
  private longKeys = 0;
  private inDateOrder = true;
  private firstDate = '9999-12-31';
  private lastDate = '0000-01-01';

  private constructor(
    private readonly queryRunner: QueryRunner,
    private readonly assetId: string,
    private readonly importId: string,
    private readonly copy: CopyStreamQuery,
    /** Process id of the server's side of the connection, by which a running statement can be canceled. */
    readonly backend: number,
  ) {}

  /**
   * Starts the COPY. The temporary table lives as long as the pooled connection, its rows as long as the transaction.
   *
   * @param idleLimitMs after which the server ends the transaction of a worker that sends nothing: one that sleeps or
   *   is cut off would keep the asset's lock, and the worker that takes its job over would wait for it in vain
   */
  static async open(
    queryRunner: QueryRunner,
    assetId: string,
    importId: string,
    idleLimitMs: number,
  ): Promise<CostTableWriter> {
    await queryRunner.query(`
      SET LOCAL lock_timeout = '60s';
      SET LOCAL idle_in_transaction_session_timeout = ${idleLimitMs};
      SET LOCAL work_mem = '128MB';
      SET LOCAL client_min_messages = warning;
      CREATE TEMP TABLE IF NOT EXISTS cost_staging (
        line integer, date date, cost numeric(21,6), revenue numeric(21,6), currency text,
        channel text, source text, campaign text, long_key text) ON COMMIT DELETE ROWS`);
    const client = (await queryRunner.connect()) as PoolClient & { processID: number };
    const copy = client.query(
      copyStreams.from(
        'COPY cost_staging (line, date, cost, revenue, currency, channel, source, campaign, long_key) FROM STDIN',
      ),
    );
    copy.on('error', () => undefined); // surfaces where the stream is awaited
    return new CostTableWriter(queryRunner, assetId, importId, copy, client.processID);
  }

  add(row: CostRow, line: number): void {
    const { date, channel, source, campaign } = row;
    this.rows++;
    this.keys.add(date, channel, source, campaign);
    if (date < this.firstDate) this.firstDate = date;
    if (date >= this.lastDate) this.lastDate = date;
    else this.inDateOrder = false;
    const longKey = longKeyOf(channel, source, campaign);
    if (longKey !== null) this.longKeys++;
    this.lines += `${line}\t${date}\t${row.cost}\t${row.revenue ?? '\\N'}\t${row.currency}\t${escape(channel)}\t${escape(source)}\t${escape(campaign)}\t${longKey ?? '\\N'}\n`;
  }

  /** Hands what was added to the server when it is worth it; waits while the server is slower than the parser. */
  async flush(force = false): Promise<void> {
    if (this.lines === '' || (!force && this.lines.length < FLUSH_CHARACTERS)) return;
    const bytes = Buffer.from(this.lines);
    this.lines = '';
    if (this.copy.errored !== null) throw this.copy.errored;
    if (!this.copy.write(bytes)) await once(this.copy, 'drain');
  }

  /** Gives up the COPY; the transaction has to be rolled back. */
  abort(reason: Error): void {
    this.copy.destroy(reason);
  }

  /** Ends the COPY and writes. Of a key that came twice the last row counts. */
  async write(): Promise<WriteCounts> {
    await this.flush(true);
    this.copy.end();
    await finished(this.copy);
    if (this.rows === 0) return { inserted: 0, changed: 0 };
    // The planner knows neither the staged rows nor days that are newer than its statistics, and takes both for almost
    // nothing: left alone it compares each row with each, 40 s for 20,000 rows.
    await this.queryRunner.query(
      `SELECT pg_advisory_xact_lock(hashtextextended($1, 0)),
              set_config('enable_nestloop', $2, true), set_config('enable_mergejoin', $2, true)`,
      [`cost:${this.assetId}`, this.looksUp ? 'on' : 'off'],
    );
    if (!(await this.hasStoredRows())) {
      const inserted = await this.insertAll();
      return { inserted, changed: inserted };
    }
    const counts = await this.compareAndWrite(false);
    if (this.longKeys === 0) return counts;
    const long = await this.compareAndWrite(true);
    return { inserted: counts.inserted + long.inserted, changed: counts.changed + long.changed };
  }

  private async hasStoredRows(): Promise<boolean> {
    const [found] = await this.queryRunner.manager.query<{ stored: boolean }[]>(
      // Both indexes are partial: without their conditions the whole table would be read.
      `SELECT EXISTS (SELECT 1 FROM imports.cost_row WHERE asset_id = $1 AND date BETWEEN $2 AND $3 AND long_key IS NULL)
           OR EXISTS (SELECT 1 FROM imports.cost_row WHERE asset_id = $1 AND date BETWEEN $2 AND $3 AND long_key IS NOT NULL) AS stored`,
      [this.assetId, this.firstDate, this.lastDate],
    );
    return found?.stored === true;
  }

  private get looksUp(): boolean {
    return this.rows <= MOST_LOOKUPS;
  }

  private get staged(): string {
    return this.keys.mayRepeat
      ? '(SELECT DISTINCT ON (date, channel, source, campaign) * FROM cost_staging ORDER BY date, channel, source, campaign, line DESC)'
      : 'cost_staging';
  }

  /**
   * Nothing of the asset is stored in these days: no comparison is needed. Days in order keep the index's insertions close
   * together; a complete sort costs more than it gains.
   */
  private async insertAll(): Promise<number> {
    const [result] = await this.queryRunner.manager.query<{ inserted: number }[]>(
      `WITH written AS (
         INSERT INTO imports.cost_row (asset_id, import_id, line, date, cost, revenue, currency, channel, source, campaign, long_key)
         SELECT $1, $2, line, date, cost, revenue, currency, channel, source, campaign, long_key FROM ${this.staged} s
         ${this.inDateOrder ? '' : 'ORDER BY date'}
         RETURNING 1)
       SELECT count(*)::int AS inserted FROM written`,
      [this.assetId, this.importId],
    );
    return result?.inserted ?? 0;
  }

  /**
   * One join finds what is new and what differs; both are written from its result. Imports of an asset run one at a
   * time, so a row's ctid can't change in between.
   */
  private async compareAndWrite(long: boolean): Promise<WriteCounts> {
    const sameKey = long
      ? 't.long_key IS NOT NULL AND t.long_key = s.long_key'
      : 't.long_key IS NULL AND t.channel = s.channel AND t.source = s.source AND t.campaign = s.campaign';
    const ofTheDays = `t.asset_id = $1 AND t.date BETWEEN $3 AND $4 AND t.date = s.date AND ${sameKey}`;
    const stored = this.looksUp
      ? `LATERAL (SELECT ctid, cost, currency, revenue FROM imports.cost_row t WHERE ${ofTheDays} LIMIT 1) t ON true`
      : `imports.cost_row t ON ${ofTheDays}`;
    // Only with the list of places the rows to update are found without a nested loop or the whole table.
    const places = this.looksUp
      ? ''
      : 'AND t.ctid = ANY (ARRAY (SELECT stored FROM compared WHERE stored IS NOT NULL))';
    const [counts] = await this.queryRunner.manager.query<{ inserted: number; updated: number }[]>(
      `WITH compared AS MATERIALIZED (
         SELECT s.*, t.ctid AS stored
           FROM ${this.staged} s
           LEFT JOIN ${stored}
          WHERE s.long_key IS ${long ? 'NOT NULL' : 'NULL'}
            AND (t.ctid IS NULL OR t.cost <> s.cost OR t.currency <> s.currency OR t.revenue IS DISTINCT FROM s.revenue)
       ), updated AS (
         UPDATE imports.cost_row t
            SET import_id = $2, line = c.line, cost = c.cost, currency = c.currency, revenue = c.revenue
           FROM compared c WHERE t.ctid = c.stored ${places}
         RETURNING 1
       ), inserted AS (
         INSERT INTO imports.cost_row (asset_id, import_id, line, date, cost, revenue, currency, channel, source, campaign, long_key)
         SELECT $1, $2, line, date, cost, revenue, currency, channel, source, campaign, long_key FROM compared WHERE stored IS NULL
         ORDER BY date
         RETURNING 1
       ) SELECT (SELECT count(*)::int FROM inserted) AS inserted, (SELECT count(*)::int FROM updated) AS updated`,
      [this.assetId, this.importId, this.firstDate, this.lastDate],
    );
    const { inserted, updated } = counts ?? { inserted: 0, updated: 0 };
    return { inserted, changed: inserted + updated };
  }
}

/** COPY's text format. */
function escape(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character) : text;
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function longKeyOf(channel: string, source: string, campaign: string): string | null {
  // No code unit takes more than three bytes.
  if (3 * (channel.length + source.length + campaign.length) <= LONGEST_INDEXED_BYTES) return null;
  const key = Buffer.from(`${channel}\0${source}\0${campaign}`);
  return key.length <= LONGEST_INDEXED_BYTES ? null : createHash('sha256').update(key).digest('hex');
}
