import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeCostFile } from './cost-file.js';
import { type Ending, temporaryFolder } from './ending.js';
import { importNow } from './import-client.js';
import { type Figure, milliseconds } from './measure.js';
import { requirePsql } from './psql.js';
import { PsqlBaseline } from './psql-baseline.js';
import { BenchStack } from './services.js';

const ROWS = 1_000;
const IMPORTS = Number(process.env['BENCH_SYNC_IMPORTS'] ?? 100);
/** Not counted: connections are opened and code is compiled. */
const WARM_UP = 20;

/** Sync imports of 1,000 rows over Kafka and MinIO against psql on the same server, one at a time and in turn. */
export async function syncImport(ending: Ending): Promise<Figure[]> {
  await requirePsql();
  const file = join(await temporaryFolder(ending), 'costs.csv');
  const stack = await BenchStack.start(ending);
  await Promise.all([stack.service('gateway'), stack.service('import-worker')]);
  const psql = new PsqlBaseline(stack.credentials.database_url);
  await psql.prepare();
  const imports = [
    { name: 'sync import of 1,000 new rows, p50', goal: 2.0 },
    { name: 'the same 1,000 rows again, p50', goal: 2.0 },
  ].map((each) => ({ ...each, ours: [] as number[], theirs: [] as number[] }));
  for (let number = -WARM_UP; number < IMPORTS; number++) {
    await writeCostFile(file, { rows: ROWS, firstRow: (number + WARM_UP) * ROWS });
    const csv = await readFile(file);
    for (const { ours, theirs } of imports) {
      const sides = [
        async () => ours.push(await milliseconds(() => importNow(stack.credentials, csv))),
        async () => theirs.push(await milliseconds(() => psql.import(file))),
      ];
      for (const side of number % 2 === 0 ? sides : sides.reverse()) await side();
    }
  }
  return imports.map(({ name, ours, theirs, goal }) => ({
    name,
    unit: 'ms',
    values: ours.slice(WARM_UP),
    other: { name: 'psql', values: theirs.slice(WARM_UP) },
    goal,
  }));
}
