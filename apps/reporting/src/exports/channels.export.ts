import { CHANNELS_COST_KEYS, CHANNELS_LAYOUT } from '#contracts/layouts/channels.layout.js';
import { tableExport } from '#jobs/table-export.js';
import { KIND } from '../ingest/dimension-ids.js';
import { channelCosts } from './channel-costs.js';
import { dimensionCounts, dimensionUsers, REPORT_ROWS } from './dimension-report.js';

/** Of the names that a channel goes by, the one with most sessions; where none has any, the one with most events. */
function mostUsed(cell: string): string {
  return `
    SELECT DISTINCT ON (slug) slug, ${cell} FROM (
      SELECT slug, ${cell}, sum(sessions) AS sessions, sum(events) AS events FROM spellings GROUP BY slug, ${cell}) AS names
    ORDER BY slug, sessions DESC, CASE WHEN sessions = 0 THEN events END DESC, ${cell} COLLATE "C"`;
}

/** Of two amounts that are not negative, to two decimals, half up and exactly: a quotient is rounded before `round` sees it. */
function roundedRatio(amount: string, by: string): string {
  return `div(200 * ${amount} + ${by}, 2 * NULLIF(${by}, 0)) * 0.01`;
}

/**
 * A row per channel: all names with one key are one channel, whether they come from events or from the cost table. A
 * channel of the cost table alone goes by the first of its names in byte order.
 */
export const channelsExport = tableExport({
  file: 'channels',
  layout: CHANNELS_LAYOUT,
  limit: REPORT_ROWS,
  costKeys: CHANNELS_COST_KEYS,
  sql: (limit) => `
    WITH counts AS MATERIALIZED (${dimensionCounts(KIND.channel, ['sessions', 'pageviews', 'conversions', 'events'])}),
    people AS (${dimensionUsers(KIND.channel, 'counts')}),
    visited AS (
      SELECT cells[1] AS slug, users, sessions, pageviews, conversions
        FROM counts LEFT JOIN people USING (dim_id)
        JOIN reporting.dimension d ON d.asset_id = $1 AND d.dim_id = counts.dim_id
       WHERE events > 0
    ), spellings AS (
      SELECT cells[1] AS slug, cells[2] AS channel, cells[3] AS channel_type, sessions, events
        FROM (${dimensionCounts(KIND.spelling, ['sessions', 'events'])}) AS spelled
        JOIN reporting.dimension d ON d.asset_id = $1 AND d.dim_id = spelled.dim_id
       WHERE events > 0
    ), names AS (${mostUsed('channel')}),
    types AS (${mostUsed('channel_type')}),
    costs AS (
      SELECT slug, name, currency, spend * 0.000001 AS spend, revenue * 0.000001 AS revenue
        FROM unnest($4::text[], $5::text[], $6::text[], $7::numeric[], $8::numeric[])
          AS cost(slug, name, currency, spend, revenue)
    ), report AS (
      SELECT COALESCE(names.channel, name) AS channel, COALESCE(types.channel_type, '') AS channel_type,
             COALESCE(users, 0) AS users, COALESCE(sessions, 0) AS sessions, COALESCE(pageviews, 0) AS pageviews,
             COALESCE(conversions, 0) AS conversions, spend, costs.currency, revenue AS reported_revenue,
             ${roundedRatio('revenue', 'spend')} AS reported_roas
        FROM visited FULL JOIN costs USING (slug)
        LEFT JOIN names USING (slug) LEFT JOIN types USING (slug)
    )
    SELECT *, count(*) OVER () + $9::bigint AS total FROM report
     ORDER BY sessions DESC, channel COLLATE "C", channel_type COLLATE "C" LIMIT ${limit}`,
  async parameters(request, snapshot) {
    const { from, to } = request.parameters;
    const { byKey, leftOut } = await channelCosts(snapshot, request, REPORT_ROWS);
    const costs = [...byKey.values()];
    const amounts = costs.map(({ currency, spend, revenue }) =>
      currency === 'MIXED' ? [null, null] : [spend, revenue],
    );
    return [
      request.assetId,
      from,
      to,
      [...byKey.keys()],
      costs.map(({ name }) => name),
      costs.map(({ currency }) => currency),
      amounts.map(([spend]) => spend),
      amounts.map(([, revenue]) => revenue),
      leftOut,
    ];
  },
});
