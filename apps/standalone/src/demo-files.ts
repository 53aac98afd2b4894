import { createWriteStream } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { REPORTS } from '#contracts/exports.js';

/** A file that was downloaded. */
export interface DemoFile {
  path: string;
  name: string;
  /** Data rows, as the service counts them. */
  rows: number;
  bytes: number;
}

/** What some files are about. */
export interface DemoIds {
  entity?: string | undefined;
  run?: string;
  test?: string;
}

export interface DemoRange {
  /** Both inclusive, `YYYY-MM-DD`. */
  from: string;
  to: string;
}

/**
 * Every file that a client can download, by its path; with a range where one applies.
 *
 * @param ids of what was made for the demo; a file without its id is left out
 */
export function demoPaths({ from, to }: DemoRange, { entity, run, test }: DemoIds): string[] {
  const range = `from=${from}&to=${to}`;
  return [
    ...REPORTS.map((report) => `/api/v1/export/${report}.csv?${range}`),
    `/api/v1/export/channels?${range}`,
    `/api/v1/export/channels?${range}&format=json`,
    `/api/v1/events/raw?format=csv&${range}`,
    `/api/v1/consent/export?${range}`,
    `/api/v1/consent/export?${range}&format=json`,
    `/api/v1/integrity/evidence/refund.csv?${range}`,
    `/api/v1/integrity/evidence/bundle.json?${range}`,
    `/api/v1/integrity/blocklist/google.csv?${range}`,
    `/api/v1/integrity/blocklist.csv?${range}`,
    `/api/v1/integrity/blocklist/meta.csv?${range}`,
    ...(entity === undefined ? [] : [`/api/v1/integrity/entities/${entity}/export.csv?${range}`]),
    ...(run === undefined ? [] : [`/api/v1/mmm/runs/${run}/export.csv`]),
    ...(test === undefined ? [] : [`/api/v1/lift/tests/${test}/export.csv`]),
    '/api/v1/cost-import/template',
    '/api/v1/cost-import/template?example=1',
  ];
}

/**
 * Downloads a file into a folder under the name that the service gives it, in the memory of a few chunks.
 *
 * @throws Error with status and answer when it is refused
 */
export async function downloadFile(baseUrl: string, path: string, token: string, folder: string): Promise<DemoFile> {
  const response = await fetch(`${baseUrl}${path}`, { headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok || response.body === null)
    throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  const name = nameOf(response.headers) ?? path.replace(/^.*\//, '').replace(/\?.*$/, '');
  await mkdir(folder, { recursive: true });
  const file = join(folder, name);
  await pipeline(Readable.fromWeb(response.body as ReadableStream<Uint8Array>), createWriteStream(file));
  const rows = Number(response.headers.get('X-Service-Export-Rows'));
  return { path, name, rows, bytes: (await stat(file)).size };
}

/** The last part of a path only: a name must not lead out of the folder. */
function nameOf(headers: Headers): string | undefined {
  const [, name] = /filename="([^"/\\]+)"/.exec(headers.get('Content-Disposition') ?? '') ?? [];
  return name;
}

/** The first lines of a file, of however many bytes it is. */
export async function firstLines(file: string, lines: number): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4_096), 0, 4_096, 0);
    return buffer.toString('utf8', 0, bytesRead).split('\n').slice(0, lines).join('\n');
  } finally {
    await handle.close();
  }
}
