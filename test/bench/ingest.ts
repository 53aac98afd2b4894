import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Credentials } from '#deploy/stack/first-start.js';
import { type Ending, temporaryFolder } from './ending.js';
import { type Figure, seconds } from './measure.js';
import { psql, requirePsql } from './psql.js';
import { publishEvents } from './publish-events.js';
import { BenchStack } from './services.js';

const EVENTS = Number(process.env['BENCH_INGEST_EVENTS'] ?? 600_000);
const GOAL_PER_SECOND = 15_000;

/** Events that wait on Kafka until they are committed with sessions, rollups and users, by one process with two writers. */
export async function ingest(ending: Ending): Promise<Figure[]> {
  await requirePsql();
  const stack = await BenchStack.start(ending);
  await publishEvents(stack, EVENTS);
  const client = new pg.Client({ connectionString: stack.credentials.database_url });
  await client.connect();
  ending.add(() => client.end());
  const processed = async () => {
    const { rows } = await client.query<{ records: number }>(
      'SELECT coalesce(sum(records), 0)::int AS records FROM reporting.processed',
    );
    return rows[0]?.records ?? 0;
  };
  await stack.service('reporting');
  const [before, start] = [await processed(), Date.now()];
  while ((await processed()) < EVENTS) await sleep(50);
  const ours = ((Date.now() - start) / 1_000 / (EVENTS - before)) * EVENTS;
  const theirs = await copyAgain(stack.credentials, join(await temporaryFolder(ending), 'events'));
  const name = `ingest of ${EVENTS.toLocaleString('en-US')} events, two writers`;
  process.stderr.write(
    `${name}: ${Math.round(EVENTS / ours)} events/s, COPY ${Math.round(EVENTS / theirs)} events/s\n`,
  );
  return [
    { name, unit: 's', values: [ours], goal: EVENTS / GOAL_PER_SECOND },
    { name, unit: 's', values: [ours], other: { name: 'COPY into the same table', values: [theirs] }, goal: 6 },
  ];
}

/** The same rows into the same table, emptied. */
async function copyAgain({ database_url: url }: Credentials, file: string): Promise<number> {
  await psql(url, `\\copy (SELECT * FROM reporting.event) TO '${file}'\nTRUNCATE reporting.event; CHECKPOINT;`);
  return seconds(() => psql(url, `\\copy reporting.event FROM '${file}'`));
}
