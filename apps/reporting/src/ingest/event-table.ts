import type { PoolClient } from 'pg';
import type { EventRecord } from '#contracts/collect/collected.js';
import { RAW_EVENTS_LAYOUT } from '#contracts/layouts/raw-events.layout.js';
import { looksLikeFormula } from '#csv/formula.js';
import { copyCell, copyLines, timestamp } from '#ingest/sql.js';

const COLUMNS =
  'asset_id, event_time, event_id, event_type, distinct_id, event_name, global_user_id, page_host, page_path,' +
  ' ft_channel, ft_source, lt_channel, lt_channel_type, lt_source, lt_medium, lt_campaign, ip, geo_country,' +
  ' geo_region, geo_city, ua_browser, ua_os, value, currency, formula_cells';

const TEXT_FIELDS = RAW_EVENTS_LAYOUT.filter(({ type }) => type === 'text').map(({ key }) => key as keyof EventRecord);

/** Unique violation. */
const ALREADY_THERE = '23505';
/** After a batch with known events so many are expected to have some too: a topic that is read again has only such. */
const EXPECTED_BATCHES = 20;

/** Writes raw events. */
export class EventTable {
  private expected = 0;

  /**
   * Writes events inside a transaction.
   *
   * @returns the places of those that were there already: the same id in the same month of UTC
   */
  async insert(client: PoolClient, assetId: string, events: readonly EventRecord[]): Promise<Set<number>> {
    if (events.length === 0) return new Set();
    if (this.expected > 0) this.expected--;
    else if (await insertAll(client, assetId, events)) return new Set();
    const known = await this.insertNew(client, assetId, events);
    if (known.size > 0) this.expected = EXPECTED_BATCHES;
    return known;
  }

  private async insertNew(client: PoolClient, assetId: string, events: readonly EventRecord[]): Promise<Set<number>> {
    // It lives as long as the pooled connection, unless the transaction that made it was rolled back: a table for each
    // batch would bloat the catalog.
    await client.query(
      'CREATE TEMP TABLE IF NOT EXISTS event_stage (LIKE reporting.event, place integer) ON COMMIT DELETE ROWS',
    );
    const lines = function* (): Generator<string> {
      for (const [place, event] of events.entries()) yield `${line(assetId, event)}\t${place}\n`;
    };
    await copyLines(client, `COPY event_stage (${COLUMNS}, place) FROM STDIN`, lines());
    await client.query('SET LOCAL enable_hashjoin = on');
    const { rows } = await client.query<{ place: number }>(
      `WITH inserted AS (
         INSERT INTO reporting.event (${COLUMNS}) SELECT ${COLUMNS} FROM event_stage
         ON CONFLICT DO NOTHING RETURNING event_id, event_time
       )
       SELECT s.place FROM event_stage s LEFT JOIN inserted i USING (event_id, event_time) WHERE i.event_id IS NULL`,
    );
    await client.query('SET LOCAL enable_hashjoin = off');
    return new Set(rows.map(({ place }) => place));
  }
}

/**
 * Writes them straight into the table, which takes half the time of a way by a staging table; mostly all are new.
 *
 * @returns false when an event was there already: then nothing is written
 */
async function insertAll(client: PoolClient, assetId: string, events: readonly EventRecord[]): Promise<boolean> {
  await client.query('SAVEPOINT events');
  const lines = function* (): Generator<string> {
    for (const event of events) yield `${line(assetId, event)}\n`;
  };
  try {
    await copyLines(client, `COPY reporting.event (${COLUMNS}) FROM STDIN`, lines());
  } catch (error) {
    if ((error as { code?: unknown }).code !== ALREADY_THERE) throw error;
    await client.query('ROLLBACK TO SAVEPOINT events; RELEASE SAVEPOINT events');
    return false;
  }
  await client.query('RELEASE SAVEPOINT events');
  return true;
}

function line(assetId: string, event: EventRecord): string {
  const { event_type, distinct_id, event_name, global_user_id, page_host, page_path, ft_channel, ft_source } = event;
  const { lt_channel, lt_channel_type, lt_source, lt_medium, lt_campaign } = event;
  const { geo_country, geo_region, geo_city, ua_browser, ua_os, value, currency } = event;
  const head = `${assetId}\t${timestamp(event.time_us)}\t${copyCell(event.event_id)}\t${copyCell(event_type)}\t${copyCell(distinct_id)}`;
  const page = `${copyCell(event_name)}\t${copyCell(global_user_id)}\t${copyCell(page_host)}\t${copyCell(page_path)}`;
  const touch = `${copyCell(ft_channel)}\t${copyCell(ft_source)}\t${copyCell(lt_channel)}\t${copyCell(lt_channel_type)}\t${copyCell(lt_source)}\t${copyCell(lt_medium)}\t${copyCell(lt_campaign)}`;
  const place = `${event.ip ?? '\\N'}\t${copyCell(geo_country)}\t${copyCell(geo_region)}\t${copyCell(geo_city)}`;
  const rest = `${copyCell(ua_browser)}\t${copyCell(ua_os)}\t${value ?? '\\N'}\t${currency ?? '\\N'}\t${formulaCells(event)}`;
  return `${head}\t${page}\t${touch}\t${place}\t${rest}`;
}

/** Cells of the raw file that will get a leading `'`. */
function formulaCells(event: EventRecord): number {
  let cells = 0;
  for (const field of TEXT_FIELDS) {
    const text = event[field];
    if (typeof text === 'string' && looksLikeFormula(text)) cells++;
  }
  return cells;
}
