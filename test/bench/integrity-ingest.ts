import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Ending } from './ending.js';
import type { Figure } from './measure.js';
import { publishEvents } from './publish-events.js';
import { BenchStack } from './services.js';

const EVENTS = Number(process.env['BENCH_INTEGRITY_EVENTS'] ?? 300_000);
const DAYS = 14;
const GOAL_PER_SECOND = 5_000;

/** Events that wait on Kafka until their sessions are stored and scored, by one process with two writers. */
export async function integrityIngest(ending: Ending): Promise<Figure[]> {
  const stack = await BenchStack.start(ending);
  await publishEvents(stack, EVENTS, DAYS);
  const client = new pg.Client({ connectionString: stack.credentials.database_url });
  await client.connect();
  ending.add(() => client.end());
  const state = async () => {
    const { rows } = await client.query<{ records: number; dirty: number }>(
      `SELECT (SELECT coalesce(sum(records), 0)::int FROM integrity.processed) AS records,
              (SELECT count(*)::int FROM integrity.dirty WHERE not_before <= clock_timestamp()) AS dirty`,
    );
    return rows[0] ?? { records: 0, dirty: 0 };
  };
  await stack.service('integrity');
  const start = Date.now();
  let stored = 0;
  for (;;) {
    const { records, dirty } = await state();
    if (records >= EVENTS && stored === 0) stored = (Date.now() - start) / 1_000;
    if (records >= EVENTS && dirty === 0) break;
    await sleep(50);
  }
  const scored = (Date.now() - start) / 1_000;
  const name = `${EVENTS.toLocaleString('en-US')} events`;
  process.stderr.write(
    `${name}: stored ${Math.round(EVENTS / stored)} events/s, stored and scored ${Math.round(EVENTS / scored)} events/s\n`,
  );
  const goal = EVENTS / GOAL_PER_SECOND;
  return [
    { name: `${name} into sessions`, unit: 's', values: [stored], goal },
    { name: `${name} into verdicts`, unit: 's', values: [scored], goal },
  ];
}
