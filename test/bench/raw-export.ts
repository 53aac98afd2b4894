import { join } from 'node:path';
import type { Credentials } from '#deploy/stack/first-start.js';
import { type Ending, temporaryFolder } from './ending.js';
import { download, lastDays } from './export-client.js';
import { fillEvents } from './fill-events.js';
import { type Figure, seconds } from './measure.js';
import { currentMemory, peakMemory } from './process-memory.js';
import { psql, requirePsql } from './psql.js';
import { BenchStack, startStandalone } from './services.js';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const EVENTS = Number(process.env['BENCH_RAW_EVENTS'] ?? 1_000_000);
const GOAL = 1.2;

/** A million raw events from request to last byte against `psql \copy` of the same query into a file, in turn. */
export async function rawExport(ending: Ending): Promise<Figure[]> {
  await requirePsql();
  const embedded = await startStandalone(ending);
  const figures = [await compare('embedded', embedded, await temporaryFolder(ending))];
  await ending.run();
  const stack = await BenchStack.start(ending);
  const [gateway, reporting] = await Promise.all([stack.service('gateway'), stack.service('reporting')]);
  const idle = [gateway, reporting].map(({ pid }) => currentMemory(pid));
  figures.push(await compare('stack', stack.credentials, await temporaryFolder(ending)));
  const peaks = [gateway, reporting].map(({ pid }, index) => peakMemory(pid) - (idle[index] ?? 0));
  const memory = (name: string, more = NaN): Figure => ({
    name: `${name}: memory over idle, raw export`,
    unit: 'MB',
    values: [more],
    goal: 100,
  });
  return [...figures, memory('gateway', peaks[0]), memory('reporting', peaks[1])];
}

async function compare(where: string, credentials: Credentials, folder: string): Promise<Figure> {
  const { asset_id: assetId, database_url: url } = credentials;
  await fillEvents(credentials, EVENTS, folder);
  const { from, to } = lastDays(91);
  const [ours, theirs] = [join(folder, 'ours.csv'), join(folder, 'theirs.csv')];
  const sides = { ours: [] as number[], theirs: [] as number[] };
  const work = [
    async () =>
      sides.ours.push(await seconds(() => download(credentials, `events/raw?format=csv&from=${from}&to=${to}`, ours))),
    async () =>
      sides.theirs.push(
        await seconds(() => psql(url, `\\copy (${query(assetId, from, to)}) TO '${theirs}' WITH (FORMAT csv, HEADER)`)),
      ),
  ];
  // The first of each is not counted: pages come into memory and code is compiled.
  for (let round = 0; round <= ROUNDS; round++)
    for (const side of round % 2 === 0 ? work : [...work].reverse()) await side();
  return {
    name: `raw events, ${EVENTS.toLocaleString('en-US')} rows, ${where}`,
    unit: 's',
    values: sides.ours.slice(1),
    other: { name: 'psql \\copy', values: sides.theirs.slice(1) },
    goal: GOAL,
  };
}

function query(assetId: string, from: string, to: string): string {
  return `SELECT to_char(event_time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS event_time, event_type, event_name, distinct_id, global_user_id, page_host, page_path, ft_channel, ft_source, lt_channel, ip, geo_country, geo_region, geo_city, ua_browser, ua_os FROM reporting.event e WHERE asset_id = '${assetId}' AND e.event_time >= '${from}T00:00:00Z' AND e.event_time < ('${to}'::date + 1)::timestamp AT TIME ZONE 'UTC' ORDER BY e.event_time, e.event_id`;
}
