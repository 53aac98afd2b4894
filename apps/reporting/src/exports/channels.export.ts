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
 * channel of the cost table alone goes by the name that most of its rows have.
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
    cost AS (
      SELECT * FROM unnest($4::text[], $5::text[], $6::text[], $7::numeric[], $8::numeric[], $9::bigint[])
          AS cost(slug, channel, currency, spend, revenue, rows)
    ), currencies AS (
      SELECT slug, CASE WHEN count(DISTINCT currency) = 1 THEN min(currency) ELSE 'MIXED' END AS currency,
             sum(spend) AS spend, sum(revenue) AS revenue
        FROM cost GROUP BY slug
    ), costs AS (
      SELECT slug, currency, CASE WHEN currency <> 'MIXED' THEN spend END AS spend,
             CASE WHEN currency <> 'MIXED' THEN revenue END AS revenue, spend > 0 OR revenue > 0 AS has_amounts
        FROM currencies
    ), cost_names AS (
      SELECT DISTINCT ON (slug) slug, channel AS cost_name
        FROM cost GROUP BY slug, channel ORDER BY slug, sum(rows) DESC, channel COLLATE "C"
    ), report AS (
      SELECT COALESCE(names.channel, cost_name) AS channel, COALESCE(types.channel_type, '') AS channel_type,
             COALESCE(users, 0) AS users, COALESCE(sessions, 0) AS sessions, COALESCE(pageviews, 0) AS pageviews,
             COALESCE(conversions, 0) AS conversions, spend, currency, revenue AS reported_revenue,
             ${roundedRatio('revenue', 'spend')} AS reported_roas
        FROM visited FULL JOIN costs USING (slug)
        LEFT JOIN names USING (slug) LEFT JOIN types USING (slug) LEFT JOIN cost_names USING (slug)
       WHERE visited.slug IS NOT NULL OR has_amounts
    )
    SELECT *, count(*) OVER () AS total FROM report
     ORDER BY sessions DESC, channel COLLATE "C", channel_type COLLATE "C" LIMIT ${limit}`,
  async parameters(request, snapshot) {
    const { from, to } = request.parameters;
    return [request.assetId, from, to, ...(await channelCosts(snapshot, request))];
  },
});
