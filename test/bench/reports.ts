import { join } from 'node:path';
import { type Ending, temporaryFolder } from './ending.js';
import { download, lastDays } from './export-client.js';
import { fillEvents } from './fill-events.js';
import { type Figure, median, seconds } from './measure.js';
import { psql, requirePsql } from './psql.js';
import { startStandalone } from './services.js';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const FEWER = Number(process.env['BENCH_FEWER_EVENTS'] ?? 1_000_000);
const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 10_000_000);
const FLAT = new Set(['overview', 'channels', 'sources', 'tech']);
const REPORTS = ['overview', 'channels', 'sources', 'geo', 'tech', 'users'] as const;

/** Each report over 90 days of many events against plain SQL on the raw table, and against the same report of fewer events. */
export async function reports(ending: Ending): Promise<Figure[]> {
  await requirePsql();
  const few = await measured(FEWER, ending, false);
  await ending.run();
  const many = await measured(EVENTS, ending, true);
  return REPORTS.flatMap((report) => {
    const { ours, plain } = many[report];
    const name = `${report} over ${EVENTS / 1e6} M events`;
    const figure: Figure = {
      name,
      unit: 'ms',
      values: ours,
      other: { name: 'plain SQL', values: plain },
      goal: FLAT.has(report) ? 0.005 : 0.05,
    };
    if (!FLAT.has(report)) return [figure];
    return [
      figure,
      { name, unit: 'ms', values: ours, other: { name: `over ${FEWER / 1e6} M`, values: few[report].ours }, goal: 1.5 },
    ];
  });
}

type Times = Record<(typeof REPORTS)[number], { ours: number[]; plain: number[] }>;

async function measured(events: number, ending: Ending, withPlain: boolean): Promise<Times> {
  const credentials = await startStandalone(ending);
  const folder = await temporaryFolder(ending);
  await fillEvents(credentials, events, folder);
  const { from, to } = lastDays(91);
  const times = {} as Times;
  for (const report of REPORTS) {
    const path = `export/${report}.csv?from=${from}&to=${to}`;
    const once = async () => (await seconds(() => download(credentials, path, join(folder, 'report.csv')))) * 1_000;
    await once();
    const ours: number[] = [];
    for (let round = 0; round < ROUNDS; round++) ours.push(await once());
    const plain: number[] = [];
    if (withPlain)
      plain.push(
        (await seconds(() => psql(credentials.database_url, plainSql(report, credentials.asset_id, from)))) * 1_000,
      );
    process.stderr.write(
      `${events} events, ${report}: ${median(ours).toFixed(0)} ms${withPlain ? `, plain SQL ${median(plain).toFixed(0)} ms` : ''}\n`,
    );
    times[report] = { ours, plain };
  }
  return times;
}

const BY: Record<string, string> = {
  channels: 'lt_channel',
  sources: 'lt_source, lt_medium',
  geo: 'geo_country, geo_region, geo_city',
  tech: 'ua_browser, ua_os',
};

/** Whom the earliest event that names anybody names, by visitor. */
function namedVisitors(assetId: string): string {
  return `named AS (
      SELECT DISTINCT ON (distinct_id) distinct_id, global_user_id FROM reporting.event
       WHERE asset_id = '${assetId}' AND global_user_id IS NOT NULL ORDER BY distinct_id, event_time, event_id
    )`;
}

/** The file of users without rollups: what is known of a person, their earliest event where no record says, and their number. */
function plainUsers(assetId: string, from: string): string {
  return `
    WITH ${namedVisitors(assetId)}, people AS (
      SELECT COALESCE(e.global_user_id, n.global_user_id) AS global_user_id, min(event_time) AS first_event_at
        FROM reporting.event e LEFT JOIN named n USING (distinct_id)
       WHERE asset_id = '${assetId}' AND COALESCE(e.global_user_id, n.global_user_id) IS NOT NULL
       GROUP BY 1 HAVING bool_or(event_time >= '${from}T00:00:00Z')
    )
    SELECT global_user_id, email, phone, crm_client_id, COALESCE(first_seen_at, first_event_at), identified_at, count(*) OVER ()
      FROM people LEFT JOIN (SELECT * FROM reporting.person WHERE asset_id = '${assetId}') AS known USING (global_user_id)
     ORDER BY identified_at DESC NULLS LAST, global_user_id COLLATE "C" LIMIT 50000`;
}

/** The numbers of a report by window functions over raw events: sessions by gaps, persons by their earliest naming. */
function plainSql(report: (typeof REPORTS)[number], assetId: string, from: string): string {
  if (report === 'users') return plainUsers(assetId, from);
  const events = `
    WITH ${namedVisitors(assetId)}, ordered AS (
      SELECT e.*, COALESCE(e.global_user_id, n.global_user_id, e.distinct_id) AS person,
             COALESCE(event_time - lag(event_time) OVER visits >= interval '30 minutes', true) AS starts
        FROM reporting.event e LEFT JOIN named n USING (distinct_id)
       WHERE asset_id = '${assetId}' WINDOW visits AS (PARTITION BY distinct_id ORDER BY event_time, event_id)
    ), visits AS (
      SELECT *, count(*) FILTER (WHERE starts) OVER (PARTITION BY distinct_id ORDER BY event_time, event_id) AS visit FROM ordered
    )`;
  const numbers = `count(DISTINCT person), count(*) FILTER (WHERE starts), count(*) FILTER (WHERE event_type = 'page_view'), count(*) FILTER (WHERE event_type = 'conversion')`;
  const inRange = `event_time >= '${from}T00:00:00Z'`;
  if (report === 'overview')
    return `${events} SELECT event_time::date, count(*), ${numbers} FROM visits WHERE ${inRange} GROUP BY 1 ORDER BY 1`;
  const by = BY[report] ?? '';
  const first = by
    .split(', ')
    .map(
      (column) =>
        `first_value(${column}) OVER (PARTITION BY distinct_id, visit ORDER BY event_time, event_id) AS first_${column}`,
    )
    .join(', ');
  const columns = by
    .split(', ')
    .map((column) => `first_${column}`)
    .join(', ');
  return `${events} SELECT ${columns}, ${numbers} FROM (SELECT *, ${first} FROM visits) AS e WHERE ${inRange} GROUP BY ${columns} ORDER BY 4 DESC LIMIT 5000`;
}
