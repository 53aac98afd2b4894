import { expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CostImportJob, CostImportReport } from '#contracts/cost-import.js';
import type { CostImportCompleted } from '#contracts/events/cost-import-completed.js';
import type { TestAsset } from '../support/service.js';
import type { CostFile, Ledger } from './cost-data.js';
import { until } from './phases.js';
import type { ServiceProcess, Services } from './processes.js';

const PATH = '/api/v1/cost-import';
const JOB_LIMIT_MS = 90_000;

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

interface RequestOptions {
  method?: string;
  body?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** @throws TypeError when the connection fails */
async function request<T>(
  { url }: ServiceProcess,
  { token }: TestAsset,
  path: string,
  { headers = {}, method = 'POST', ...rest }: RequestOptions = {},
): Promise<Answer<T>> {
  const response = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'text/csv', ...headers },
    ...rest,
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as T };
}

/** A sync import, once. */
export function post(
  gateway: ServiceProcess,
  asset: TestAsset,
  file: Pick<CostFile, 'csv'>,
  options: RequestOptions = {},
): Promise<Answer<CostImportReport>> {
  return request(gateway, asset, PATH, { body: file.csv, ...options });
}

/** A sync import by a client that tries again with its Idempotency-Key as the interface says, until it has the report. */
export async function insist(
  gateway: ServiceProcess,
  asset: TestAsset,
  file: Pick<CostFile, 'csv'>,
  key: string = randomUUID(),
): Promise<{ importId: string; report: CostImportReport; tries: number }> {
  for (const begin = Date.now(), state = { tries: 0 }; ;) {
    state.tries++;
    const answer = await post(gateway, asset, file, { headers: { 'Idempotency-Key': key } }).catch((error: unknown) => {
      if (isConnectionError(error)) return undefined;
      throw error;
    });
    if (answer?.status === 200) {
      return { importId: answer.headers.get('x-service-import-id') ?? '', report: answer.body, tries: state.tries };
    }
    if (answer !== undefined) expect([409, 503]).toContain(answer.status);
    if (Date.now() - begin > JOB_LIMIT_MS) throw new Error(`still ${JSON.stringify(answer?.body)}`);
    await sleep(200);
  }
}

/** By name: fetch throws the TypeError of another realm than Jest's. */
export function isConnectionError(error: unknown): error is TypeError {
  return (error as Error).name === 'TypeError';
}

/** Queues a file. @returns the id of its job */
export async function queue(gateway: ServiceProcess, asset: TestAsset, file: Pick<CostFile, 'csv'>): Promise<string> {
  const { status, body } = await request<{ import_id: string }>(gateway, asset, `${PATH}/async`, { body: file.csv });
  expect({ status, body }).toMatchObject({ status: 202 });
  return body.import_id;
}

export async function jobOf(gateway: ServiceProcess, asset: TestAsset, importId: string): Promise<CostImportJob> {
  return (await request<CostImportJob>(gateway, asset, `${PATH}/jobs/${importId}`, { method: 'GET' })).body;
}

/** The job when it has ended, whatever answers are missed meanwhile. */
export async function ended(gateway: ServiceProcess, asset: TestAsset, importId: string): Promise<CostImportJob> {
  const look = () => jobOf(gateway, asset, importId).catch(() => undefined);
  const job = await until(look, (found) => typeof found?.finished_at === 'string', JOB_LIMIT_MS, 100);
  if (job === undefined) throw new Error('not reached');
  return job;
}

/** Every row of the asset as `Ledger.rows()` tells it. */
async function storedRows({ dataSource }: Services, { assetId }: TestAsset): Promise<string[]> {
  const rows = await dataSource.query<{ row: string }[]>(
    `SELECT concat_ws(' ', date, channel, source, campaign, cost, currency, coalesce(revenue::text, ''), import_id, line) AS row
       FROM imports.cost_row WHERE asset_id = $1`,
    [assetId],
  );
  return rows.map(({ row }) => row).sort();
}

/** No row is lost, doubled or half written. */
export async function expectStored(services: Services, asset: TestAsset, ledger: Ledger): Promise<void> {
  const [expected, stored] = [ledger.rows(), await storedRows(services, asset)];
  expect(stored.length).toBe(expected.length);
  const different = expected.findIndex((row, index) => row !== stored[index]);
  expect([different, stored[different]]).toEqual([-1, undefined]);
}

/** The job has succeeded, its report and its only event are right, and the asset holds what it should. */
export async function expectImported(
  services: Services,
  asset: TestAsset,
  { import_id: importId, ...job }: CostImportJob,
  file: CostFile,
  ledger: Ledger,
): Promise<void> {
  expect(job).toMatchObject({ status: 'succeeded', error: null });
  const { changed, ...counts } = ledger.add(importId, file);
  expect(job.report).toMatchObject({ ok: true, errors_total: file.rejected, warnings_total: 0, ...counts });
  expect(counts.total).toBe(counts.inserted + counts.updated + counts.skipped);
  await expectStored(services, asset, ledger);
  const completed = () => services.events('cost-import.completed.v1', asset);
  const events = await until(completed, (all) => all.some((event) => event.import_id === importId), 60_000, 500);
  const own = events.filter((event) => event.import_id === importId);
  const event: Partial<CostImportCompleted> = { ...counts, changed };
  expect(own).toEqual([expect.objectContaining(event)]);
  expect(await services.events('cost-import.failed.v1', asset)).toEqual([]);
}
