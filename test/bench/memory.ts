import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Credentials } from '#deploy/stack/first-start.js';
import { LARGE_FILE_ROWS, writeCostFile } from './cost-file.js';
import { type Ending, temporaryFolder } from './ending.js';
import { importLater } from './import-client.js';
import type { Figure } from './measure.js';
import { peakMemory, requireProc } from './process-memory.js';
import { BenchStack } from './services.js';

const run = promisify(execFile);

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const UPLOADS = 20;

/** A fresh worker for each file: peak memory can't be reset. */
export async function workerMemory(ending: Ending): Promise<Figure[]> {
  requireProc();
  const folder = await temporaryFolder(ending);
  const [small, large] = [join(folder, 'small.csv'), join(folder, 'large.csv')];
  await writeCostFile(small, { rows: Math.round(LARGE_FILE_ROWS / 62) });
  await writeCostFile(large, { rows: LARGE_FILE_ROWS });
  const stack = await BenchStack.start(ending);
  await stack.service('gateway');
  const peakFor = async (file: string) => {
    await query(stack.credentials, 'TRUNCATE imports.cost_row');
    const worker = await stack.service('import-worker');
    await importLater(stack.credentials, file);
    const peak = peakMemory(worker.pid);
    await worker.stop();
    return peak;
  };
  const peaks = { small: [] as number[], large: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    peaks.small.push(await peakFor(small));
    peaks.large.push(await peakFor(large));
  }
  const name = "worker's peak memory, 62 MB file";
  return [
    { name, unit: 'MB', values: peaks.large, other: { name: '1 MB file', values: peaks.small }, goal: 1.3 },
    { name, unit: 'MB', values: peaks.large, goal: 250 },
  ];
}

/** A fresh gateway each time, and no worker: nothing but the uploads is measured. */
export async function gatewayMemory(ending: Ending): Promise<Figure[]> {
  requireProc();
  const file = join(await temporaryFolder(ending), 'costs.csv');
  await writeCostFile(file, { rows: LARGE_FILE_ROWS });
  const stack = await BenchStack.start(ending);
  const peaks: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const gateway = await stack.service('gateway');
    await Promise.all(Array.from({ length: UPLOADS }, () => upload(stack.credentials, file)));
    peaks.push(peakMemory(gateway.pid));
    await gateway.stop();
  }
  return [{ name: "gateway's peak memory, 20 uploads of 62 MB at once", unit: 'MB', values: peaks, goal: 300 }];
}

/** In a process of its own, as clients are. */
async function upload({ base_url: baseUrl, token }: Credentials, file: string): Promise<void> {
  const headers = [`Authorization: Bearer ${token}`, 'Content-Type: text/csv'].flatMap((header) => ['-H', header]);
  const url = `${baseUrl}/api/v1/cost-import/async`;
  const args = ['-sS', '--fail-with-body', '-X', 'POST', ...headers, '-T', file, url];
  await run('curl', args).catch((error: unknown) => {
    const { code, stdout = '' } = error as { code?: unknown; stdout?: string };
    throw new Error(
      code === 'ENOENT' ? 'The uploads need curl: install it.' : `An upload failed: ${String(error)} ${stdout}`,
      { cause: error },
    );
  });
}

async function query({ database_url: connectionString }: Credentials, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
