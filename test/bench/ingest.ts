import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { visitorBucket } from '#contracts/collect/visitor-bucket.js';
import { MAX_RECORDS_IN_MESSAGE } from '#contracts/collect/collected.js';
import type { Credentials } from '#deploy/stack/first-start.js';
import { KafkaBus } from '#messaging/kafka/kafka.bus.js';
import { KafkaClients } from '#messaging/kafka/kafka-clients.js';
import { MessagingConfig } from '#messaging/messaging.config.js';
import { outgoingEvent } from '#messaging/outgoing.js';
import { loadConfig } from '#runtime/config.js';
import { type Ending, temporaryFolder } from './ending.js';
import { eventStream, type StreamEvent } from './event-stream.js';
import { type Figure, seconds } from './measure.js';
import { psql, requirePsql } from './psql.js';
import { BenchStack } from './services.js';

const EVENTS = Number(process.env['BENCH_INGEST_EVENTS'] ?? 600_000);
const GOAL_PER_SECOND = 15_000;

/** Events that wait on Kafka until they are committed with sessions, rollups and users, by one process with two writers. */
export async function ingest(ending: Ending): Promise<Figure[]> {
  await requirePsql();
  const stack = await BenchStack.start(ending);
  await publish(stack);
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

async function publish({ env, credentials: { asset_id: assetId } }: BenchStack): Promise<void> {
  const bus = new KafkaBus(new KafkaClients(loadConfig(MessagingConfig, env)));
  const buckets = new Map<number, StreamEvent[]>();
  const send = async (bucket: number, records: StreamEvent[]) => {
    await bus.publish([
      outgoingEvent('gateway', 'events.collected.v1', assetId, { asset_id: assetId, records }, `${assetId}:${bucket}`),
    ]);
  };
  for (const event of eventStream(EVENTS, 90, new Date())) {
    const bucket = visitorBucket(event.distinct_id);
    const records = buckets.get(bucket) ?? [];
    buckets.set(bucket, records);
    records.push(event);
    if (records.length < MAX_RECORDS_IN_MESSAGE) continue;
    buckets.delete(bucket);
    await send(bucket, records);
  }
  for (const [bucket, records] of buckets) await send(bucket, records);
  await bus.onApplicationShutdown();
}

/** The same rows into the same table, emptied. */
async function copyAgain({ database_url: url }: Credentials, file: string): Promise<number> {
  await psql(url, `\\copy (SELECT * FROM reporting.event) TO '${file}'\nTRUNCATE reporting.event; CHECKPOINT;`);
  return seconds(() => psql(url, `\\copy reporting.event FROM '${file}'`));
}
