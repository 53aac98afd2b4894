import { openAsBlob } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials } from '#deploy/stack/first-start.js';

const PATH = '/api/v1/cost-import';
const POLL_MS = 20;

/** Uploads a file to be imported later, and waits until that has succeeded. */
export async function importLater({ base_url: baseUrl, token }: Credentials, path: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${baseUrl}${PATH}/async`, {
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
    await sleep(POLL_MS);
  }
}

/** Uploads a file and waits for its report. */
export async function importNow({ base_url: baseUrl, token }: Credentials, csv: Buffer): Promise<void> {
  const response = await fetch(baseUrl + PATH, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'text/csv' },
    body: csv,
  });
  const body = await response.text();
  if (response.status !== 200) throw new Error(body);
}
