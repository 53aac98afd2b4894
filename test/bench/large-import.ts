import { openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbedded, type Embedded } from '#apps/standalone/src/embedded.js';
import { writeCostFile } from './cost-file.js';
import { printComparison, seconds } from './measure.js';
import { PsqlBaseline } from './psql-baseline.js';

/** Async import of a 62 MB file in the embedded mode, from POST to `succeeded`, against psql on the same server. */
const ROWS = Number(process.env['BENCH_ROWS'] ?? 1_150_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);

const directory = await mkdtemp(join(tmpdir(), 'tallyport-bench-'));
process.env['LOG_LEVEL'] ??= 'warn';
const embedded = await startEmbedded({ home: join(directory, 'home'), port: 0, host: '127.0.0.1' });
try {
  const [file, changed] = [join(directory, 'costs.csv'), join(directory, 'changed.csv')];
  await writeCostFile(file, ROWS);
  await writeCostFile(changed, ROWS, 1);
  const psql = new PsqlBaseline(embedded.postgres.url);
  await psql.prepare();
  const figures = [
    { name: 'first import', file, goal: 1.0, ours: [] as number[], theirs: [] as number[] },
    { name: 'same file again', file, goal: 0.33, ours: [] as number[], theirs: [] as number[] },
    { name: 'every row changed', file: changed, goal: 1.1, ours: [] as number[], theirs: [] as number[] },
  ];
  for (let round = 0; round < ROUNDS; round++) {
    await psql.clear();
    for (const figure of figures) {
      const sides = [
        async () => figure.ours.push(await seconds(() => importAsync(embedded, figure.file))),
        async () => figure.theirs.push(await seconds(() => psql.import(figure.file))),
      ];
      for (const side of round % 2 === 0 ? sides : sides.reverse()) await side();
    }
  }
  for (const figure of figures) printComparison(figure);
} finally {
  await embedded.stop();
  await rm(directory, { recursive: true, force: true });
}

async function importAsync({ credentials: { base_url: baseUrl, token } }: Embedded, path: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${baseUrl}/api/v1/cost-import/async`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'text/csv' },
    body: await openAsBlob(path),
  });
  if (response.status !== 202) throw new Error(await response.text());
  const url = `${baseUrl}${response.headers.get('location') ?? ''}`;
  for (;;) {
    const job = (await (await fetch(url, { headers })).json()) as { status: string };
    if (job.status === 'succeeded') return;
    if (job.status === 'failed' || job.status === 'canceled') throw new Error(JSON.stringify(job));
    await sleep(20);
  }
}
