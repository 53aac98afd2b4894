import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Credentials } from '#deploy/stack/first-start.js';

const run = promisify(execFile);

/** The last 90 days, today included, in UTC. */
export function lastDays(days: number): { from: string; to: string } {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  return { from: day(days), to: day(0) };
}

/** Downloads into a file with curl, a process of its own as clients are. */
export async function download({ base_url: baseUrl, token }: Credentials, path: string, file: string): Promise<void> {
  const url = `${baseUrl}/api/v1/${path}`;
  await run('curl', ['-sS', '--fail', '-H', `Authorization: Bearer ${token}`, '-o', file, url]);
}

/** Fetches a small file. @returns its text */
export async function fetchText({ base_url: baseUrl, token }: Credentials, path: string): Promise<string> {
  const response = await fetch(`${baseUrl}/api/v1/${path}`, { headers: { Authorization: `Bearer ${token}` } });
  const body = await response.text();
  if (response.status !== 200) throw new Error(body);
  return body;
}
