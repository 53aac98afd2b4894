import { expect } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { CollectReport, CollectStatus } from '#contracts/collect/collect-report.js';
import type { ExportCompleted } from '#contracts/events/export-completed.js';
import type { ExportRecord } from '#contracts/exports.js';
import { storedNumbers } from '../fixtures/stored-numbers.js';
import type { TestAsset } from '../support/service.js';
import { csvRecords, RANGE, type EventStream } from './events-data.js';
import { until } from './phases.js';
import type { ServiceProcess, Services } from './processes.js';

const LIMIT_MS = 90_000;
export const OVERVIEW = `/api/v1/export/overview.csv?${RANGE}`;
export const RAW_EVENTS = `/api/v1/events/raw?format=csv&${RANGE}`;

export interface Reply {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

/** @throws TypeError when the connection fails */
export async function ask(
  { url }: ServiceProcess,
  { token }: TestAsset,
  path: string,
  { headers = {}, ...options }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Reply> {
  const response = await fetch(url + path, {
    redirect: 'manual',
    ...options,
    headers: { Authorization: `Bearer ${token}`, ...headers },
  });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

export function json({ bytes }: Reply): unknown {
  return JSON.parse(bytes.toString());
}

export function postEvents(gateway: ServiceProcess, asset: TestAsset, events: readonly object[]): Promise<Reply> {
  return ask(gateway, asset, '/api/v1/collect/events', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  });
}

/** Posts bodies, all of whose lines are good. */
export async function collect(
  gateway: ServiceProcess,
  asset: TestAsset,
  bodies: readonly (readonly object[])[],
): Promise<void> {
  for (const body of bodies) {
    const reply = await postEvents(gateway, asset, body);
    const { accepted } = json(reply) as CollectReport;
    expect([reply.status, accepted]).toEqual([202, body.length]);
  }
}

export async function statusOf(gateway: ServiceProcess, asset: TestAsset): Promise<CollectStatus> {
  return json(await ask(gateway, asset, '/api/v1/collect/status')) as CollectStatus;
}

/** Waits until reporting has finished with everything. */
export function allProcessed(gateway: ServiceProcess, asset: TestAsset): Promise<CollectStatus> {
  const look = () => statusOf(gateway, asset);
  return until(look, ({ accepted, processed }) => accepted === processed, LIMIT_MS, 100);
}

interface GivenFile extends Reply {
  exportId: string;
  sha256: string;
}

/** A file at the first try. */
export async function exported(gateway: ServiceProcess, asset: TestAsset, path: string): Promise<GivenFile> {
  return givenFile(await ask(gateway, asset, path));
}

/** An answer that has to be a whole file. */
export function givenFile(reply: Reply): GivenFile {
  expect([reply.status, reply.status === 200 ? '' : reply.bytes.toString()]).toEqual([200, '']);
  const digest = createHash('sha256').update(reply.bytes).digest();
  expect(reply.headers.get('repr-digest')).toBe(`sha-256=:${digest.toString('base64')}:`);
  const exportId = reply.headers.get('x-service-export-id') ?? '';
  return { ...reply, exportId, sha256: digest.toString('hex') };
}

export async function recordOf(gateway: ServiceProcess, asset: TestAsset, exportId: string): Promise<ExportRecord> {
  return json(await ask(gateway, asset, `/api/v1/exports/${exportId}`)) as ExportRecord;
}

export async function recordsOf(gateway: ServiceProcess, asset: TestAsset): Promise<ExportRecord[]> {
  const list = json(await ask(gateway, asset, '/api/v1/exports'));
  return (list as { items: ExportRecord[] }).items;
}

/** The export when it has ended. */
export function exportEnd(gateway: ServiceProcess, asset: TestAsset, exportId: string): Promise<ExportRecord> {
  const look = () => recordOf(gateway, asset, exportId);
  return until(look, ({ finished_at }) => typeof finished_at === 'string', LIMIT_MS, 100);
}

/** There is one export and it has succeeded, its link gives the bytes, and one event tells of it. */
export async function expectOneFile(
  services: Services,
  gateway: ServiceProcess,
  asset: TestAsset,
  { exportId, sha256 }: Pick<GivenFile, 'exportId' | 'sha256'>,
): Promise<void> {
  const records = await recordsOf(gateway, asset);
  expect(records).toEqual([expect.objectContaining({ export_id: exportId, status: 'succeeded', error: null })]);
  const [record] = records;
  expect(record?.file?.sha256).toBe(sha256);
  const bytes = Buffer.from(await (await fetch(record?.download_url ?? '')).arrayBuffer());
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  const told = () => services.events<ExportCompleted>('export.completed.v1', asset);
  const events = await until(told, ({ length }) => length > 0, LIMIT_MS, 250);
  expect(events).toEqual([expect.objectContaining({ export_id: exportId, sha256 })]);
  expect(await services.events('export.failed.v1', asset)).toEqual([]);
}

/** All numbers of the asset are those of the stream, in the tables as in the files. */
export async function expectReported(
  services: Services,
  gateway: ServiceProcess,
  asset: TestAsset,
  stream: EventStream,
  timezone = 'UTC',
): Promise<void> {
  const { accepted, processed, pending } = await statusOf(gateway, asset);
  expect({ accepted, processed, pending }).toEqual({ accepted: stream.sent.length, processed: accepted, pending: 0 });
  await expectNumbers(services, gateway, asset, stream, timezone);
}

/** As `expectReported`, also where some bodies were sent more than once. */
export async function expectNumbers(
  services: Services,
  gateway: ServiceProcess,
  asset: TestAsset,
  stream: EventStream,
  timezone = 'UTC',
): Promise<void> {
  expect(await storedNumbers(services.dataSource, asset.assetId)).toEqual(stream.numbers(timezone));
  const overview = await csvRecords((await exported(gateway, asset, OVERVIEW)).bytes);
  const column = overview[0]?.indexOf('events') ?? -1;
  const events = overview.slice(1).reduce((sum, cells) => sum + Number(cells[column]), 0);
  const raw = await exported(gateway, asset, RAW_EVENTS);
  const lines = raw.bytes.toString().split('\n').length - 2;
  expect([events, raw.headers.get('x-service-export-rows'), lines]).toEqual([
    stream.events.length,
    String(stream.events.length),
    stream.events.length,
  ]);
}
