import { channelKey } from '#contracts/channels/channel-key.js';
import { date } from '#ingest/sql.js';
import type { Query } from './query.js';

/** What imports changed. */
export interface TouchedCosts {
  /** Days since 1970. */
  days: ReadonlySet<number>;
  /** Keys of channels that had no cost before: their clicks are paid from now on. */
  newChannels: ReadonlySet<string>;
}

interface CostRow {
  channel: string;
  day: number;
  currency: string;
  spend: string;
  import_id: string;
}

/**
 * Reads the cost rows of completed imports that were not looked at. A day is read whole: rows of several sources and
 * campaigns, and of several spellings of a channel, are one spend.
 */
export async function reloadCosts(query: Query, assetId: string): Promise<TouchedCosts> {
  const pending = await query<{ import_id: string }>(
    'DELETE FROM integrity.cost_pending WHERE asset_id = $1 RETURNING import_id',
    [assetId],
  );
  if (pending.length === 0) return { days: new Set(), newChannels: new Set() };
  const known = await costChannels(query, assetId);
  const touched = await query<{ day: number }>(
    `SELECT DISTINCT date - date '1970-01-01' AS day FROM imports.cost_row WHERE asset_id = $1 AND import_id = ANY($2::uuid[])`,
    [assetId, pending.map(({ import_id }) => import_id)],
  );
  const days = new Set(touched.map(({ day }) => day));
  if (days.size === 0) return { days, newChannels: new Set() };
  const dates = [...days].map(date);
  const rows = await query<CostRow>(
    `SELECT channel, date - date '1970-01-01' AS day, currency, sum(cost)::text AS spend,
            (array_agg(import_id ORDER BY import_id DESC))[1] AS import_id
       FROM imports.cost_row WHERE asset_id = $1 AND date = ANY($2::date[]) GROUP BY channel, date, currency`,
    [assetId, dates],
  );
  await query('DELETE FROM integrity.cost_day WHERE asset_id = $1 AND day = ANY($2::date[])', [assetId, dates]);
  await query(
    `INSERT INTO integrity.cost_day (asset_id, channel, day, currency, spend, import_id)
     SELECT $1, channel, day, currency, sum(spend), (array_agg(import_id ORDER BY import_id DESC))[1]
       FROM unnest($2::text[], $3::date[], $4::text[], $5::numeric[], $6::uuid[]) AS c (channel, day, currency, spend, import_id)
      GROUP BY channel, day, currency`,
    [
      assetId,
      rows.map(({ channel }) => channelKey(channel)),
      rows.map(({ day }) => date(day)),
      rows.map(({ currency }) => currency),
      rows.map(({ spend }) => spend),
      rows.map(({ import_id }) => import_id),
    ],
  );
  const newChannels = new Set(rows.map(({ channel }) => channelKey(channel)).filter((key) => !known.has(key)));
  return { days, newChannels };
}

/** Keys of the channels with cost rows. */
async function costChannels(query: Query, assetId: string): Promise<Set<string>> {
  const rows = await query<{ channel: string }>('SELECT DISTINCT channel FROM integrity.cost_day WHERE asset_id = $1', [
    assetId,
  ]);
  return new Set(rows.map(({ channel }) => channel));
}
