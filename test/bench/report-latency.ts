import { type Ending, temporaryFolder } from './ending.js';
import { fetchText, lastDays } from './export-client.js';
import { fillEvents } from './fill-events.js';
import { type Figure, median, milliseconds } from './measure.js';
import { reportSql } from './report-sql.js';
import { BenchStack } from './services.js';

const EVENTS = Number(process.env['BENCH_LATENCY_EVENTS'] ?? 300_000);
const ROUNDS = 40;
const WARM_UP = 10;

/** A report of 5,000 rows through Kafka and object storage, over its own SQL. */
export async function reportLatency(ending: Ending): Promise<Figure[]> {
  const stack = await BenchStack.start(ending);
  await Promise.all([stack.service('gateway'), stack.service('reporting')]);
  await fillEvents(stack.credentials, EVENTS, await temporaryFolder(ending));
  const { from, to } = lastDays(91);
  const path = `export/channels?from=${from}&to=${to}`;
  const rows = (await fetchText(stack.credentials, path)).trimEnd().split('\n').length;
  if (rows < 5_000) throw new Error(`The file has ${rows} lines only: raise BENCH_LATENCY_EVENTS.`);
  const sql = await reportSql(stack.credentials, 'channels-advanced', from, to);
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const [file, query] = [
      await milliseconds(() => fetchText(stack.credentials, path)),
      await milliseconds(() => sql.run()),
    ];
    if (round < 0) continue;
    ours.push(file);
    theirs.push(query);
  }
  await sql.end();
  const more = ours.map((file) => file - median(theirs));
  return [{ name: 'report of 5,000 rows over Kafka, p50, more than its SQL', unit: 'ms', values: more, goal: 100 }];
}
