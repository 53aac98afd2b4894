import { channelKey } from '#contracts/channels/channel-key.js';
import type { ExportRequest, ExportSnapshot } from '#jobs/export-definition.js';
import { pagedRows } from '#jobs/read-table.js';
import { KIND } from '../ingest/dimension-ids.js';
import { dimensionCounts } from './dimension-report.js';

/** What was spent on a channel, under all its names. */
interface ChannelCost {
  /** The first of its names in byte order. */
  name: string;
  /** `MIXED` when there are several. */
  currency: string;
  /** Millionths, exact. */
  spend: bigint;
  /** Millionths; null when no row gives a revenue. */
  revenue: bigint | null;
}

interface ChannelCosts {
  byKey: ReadonlyMap<string, ChannelCost>;
  /** Channels without any event that are in no row, because there are `limit` of them already. */
  leftOut: number;
}

interface CostOfName {
  channel: string;
  currency: string;
  spend: string;
  revenue: string | null;
}

// Both indexes of the table are partial: without their conditions all of it would be read.
const COST_ROWS = ['long_key IS NULL', 'long_key IS NOT NULL']
  .map(
    (ofIndex) =>
      `SELECT channel, currency, cost, revenue FROM imports.cost_row
        WHERE asset_id = $1 AND date BETWEEN $2 AND $3 AND ${ofIndex}`,
  )
  .join(' UNION ALL ');

const COSTS_OF_NAMES = `
  SELECT channel, currency, (sum(cost) * 1000000)::numeric(40) AS spend, (sum(revenue) * 1000000)::numeric(40) AS revenue
    FROM (${COST_ROWS}) AS cost
   GROUP BY channel, currency ORDER BY channel COLLATE "C", currency`;

const NAMES_WITH_AMOUNTS = `SELECT DISTINCT channel FROM (${COST_ROWS}) AS cost WHERE cost > 0 OR revenue > 0`;

const VISITED_CHANNELS = `
  SELECT cells[1] AS key FROM (${dimensionCounts(KIND.channel, ['events'])}) AS counts
    JOIN reporting.dimension d ON d.asset_id = $1 AND d.dim_id = counts.dim_id
   WHERE events > 0`;

/**
 * What was spent in the range, by channel. A file of costs may name a million channels: of those without events only the
 * first `limit` that were spent on are kept, by name in byte order, as they stand in the report. Which were spent on is
 * known beforehand: a row of nothing tells of their currencies and names too.
 */
export async function channelCosts(
  snapshot: ExportSnapshot,
  { assetId, parameters: { from, to } }: ExportRequest,
  limit: number,
): Promise<ChannelCosts> {
  const range = [assetId, from, to];
  const visited = new Set((await snapshot.query<{ key: string }>(VISITED_CHANNELS, range)).map(({ key }) => key));
  const unvisited = new Set<string>();
  for await (const { channel } of pagedRows<{ channel: string }>(snapshot, 'spent_on', NAMES_WITH_AMOUNTS, range)) {
    const key = channelKey(channel);
    if (!visited.has(key)) unvisited.add(key);
  }
  const byKey = new Map<string, ChannelCost>();
  let kept = 0;
  for await (const cost of pagedRows<CostOfName>(snapshot, 'channel_costs', COSTS_OF_NAMES, range)) {
    const key = channelKey(cost.channel);
    const known = byKey.get(key);
    if (known !== undefined) add(known, cost);
    else if (visited.has(key)) byKey.set(key, costOf(cost));
    else if (kept < limit && unvisited.has(key)) {
      byKey.set(key, costOf(cost));
      kept++;
    }
  }
  return { byKey, leftOut: unvisited.size - kept };
}

function costOf({ channel, currency, spend, revenue }: CostOfName): ChannelCost {
  return { name: channel, currency, spend: BigInt(spend), revenue: revenue === null ? null : BigInt(revenue) };
}

function add(known: ChannelCost, { currency, spend, revenue }: CostOfName): void {
  if (known.currency !== currency) known.currency = 'MIXED';
  known.spend += BigInt(spend);
  if (revenue !== null) known.revenue = (known.revenue ?? 0n) + BigInt(revenue);
}
