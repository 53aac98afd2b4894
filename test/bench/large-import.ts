import { join } from 'node:path';
import { LARGE_FILE_ROWS, writeCostFile } from './cost-file.js';
import { type Ending, temporaryFolder } from './ending.js';
import { importLater } from './import-client.js';
import { type Figure, seconds } from './measure.js';
import { requirePsql } from './psql.js';
import { PsqlBaseline } from './psql-baseline.js';
import { startStandalone } from './services.js';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);

/** Async import of a 62 MB file in the embedded mode, from POST to `succeeded`, against psql on the same server. */
export async function largeImport(ending: Ending): Promise<Figure[]> {
  await requirePsql();
  const folder = await temporaryFolder(ending);
  const [file, changed] = [join(folder, 'costs.csv'), join(folder, 'changed.csv')];
  await writeCostFile(file, { rows: LARGE_FILE_ROWS });
  await writeCostFile(changed, { rows: LARGE_FILE_ROWS, costShift: 1 });
  const credentials = await startStandalone(ending);
  const psql = new PsqlBaseline(credentials.database_url);
  await psql.prepare();
  const imports = [
    { name: 'async import of 62 MB, first time', file, goal: 1.0 },
    { name: 'the same file again', file, goal: 0.33 },
    { name: 'every row changed', file: changed, goal: 1.0 },
  ].map((each) => ({ ...each, ours: [] as number[], theirs: [] as number[] }));
  for (let round = 0; round < ROUNDS; round++) {
    await psql.clear();
    for (const each of imports) {
      const sides = [
        async () => each.ours.push(await seconds(() => importLater(credentials, each.file))),
        async () => each.theirs.push(await seconds(() => psql.import(each.file))),
      ];
      for (const side of round % 2 === 0 ? sides : sides.reverse()) await side();
    }
  }
  return imports.map(({ name, ours, theirs, goal }) => ({
    name,
    unit: 's',
    values: ours,
    other: { name: 'psql', values: theirs },
    goal,
  }));
}
