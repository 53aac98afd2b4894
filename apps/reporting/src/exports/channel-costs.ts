import { channelKey } from '#contracts/channels/channel-key.js';
import type { ExportRequest, ExportSnapshot } from '#jobs/export-definition.js';

interface CostOfSpelling {
  channel: string;
  currency: string;
  /** Exact decimals. */
  spend: string;
  /** Null: no row gives a revenue. */
  revenue: string | null;
  rows: string;
}

// Both indexes of the table are partial: without their conditions all of it would be read.
const COST_ROWS_OF_RANGE = ['long_key IS NULL', 'long_key IS NOT NULL']
  .map(
    (ofIndex) =>
      `SELECT channel, currency, cost, revenue FROM imports.cost_row
        WHERE asset_id = $1 AND date BETWEEN $2 AND $3 AND ${ofIndex}`,
  )
  .join(' UNION ALL ');

/**
 * What was spent in the range, as parallel arrays for `unnest`, an entry for each spelling and currency: key of the
 * channel, spelling, currency, spend, revenue, rows.
 */
export async function channelCosts(
  snapshot: ExportSnapshot,
  { assetId, parameters: { from, to } }: ExportRequest,
): Promise<(string | null)[][]> {
  const costs = await snapshot.query<CostOfSpelling>(
    `SELECT channel, currency, sum(cost) AS spend, sum(revenue) AS revenue, count(*) AS rows
       FROM (${COST_ROWS_OF_RANGE}) AS cost_row GROUP BY channel, currency`,
    [assetId, from, to],
  );
  return [
    costs.map(({ channel }) => channelKey(channel)),
    costs.map(({ channel }) => channel),
    costs.map(({ currency }) => currency),
    costs.map(({ spend }) => spend),
    costs.map(({ revenue }) => revenue),
    costs.map(({ rows }) => rows),
  ];
}
