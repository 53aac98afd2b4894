import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CostImportReport } from '#contracts/cost-import.js';
import { runProcess } from '#runtime/bootstrap.js';
import { loggerFor } from '#runtime/logger.js';
import { describeReport } from './describe-report.js';
import { startEmbedded, type Embedded } from './embedded.js';
import { stopWhenAsked } from './stop-when-asked.js';

const MISTAKES = `# A file with deliberate mistakes. This line is a comment and is not read.
date,channel,cost,source,campaign,currency,revenue
2026-01-04,Google Ads,"1,250.00",google,Brand,USD,4300
2026-01-04,Meta Ads,"980,50",facebook,Prospecting,EUR,
04.01.2026,TikTok,410.00,tiktok,Video,USD,
2026-01-11,,300.00,,,USD,
2026-01-11,Bing Ads,-20.00,bing,Brand,USD,
2026-01-11,Carrier Pigeon,75.00,,Doves,dollars,lots
2026-01-11,Google Ads,1310.25,google,Brand,USD,4410
`;

const { values: options } = parseArgs({ options: { keep: { type: 'boolean', default: false } } });

await runProcess('demo', async () => {
  process.env['LOG_LEVEL'] ||= 'warn';
  process.env['LOG_FORMAT'] ||= 'text';
  const home = mkdtempSync(join(tmpdir(), 'tallyport-demo-'));
  const removeHome = (): void => {
    rmSync(home, { recursive: true, force: true });
  };
  say('Starting Tallyport with a PostgreSQL of its own …');
  const embedded = await startEmbedded({ home, port: 0, host: '127.0.0.1' }).catch((error: unknown) => {
    removeHome();
    throw error;
  });
  const stop = stopWhenAsked(embedded, removeHome);
  try {
    await show(embedded);
  } catch (error) {
    loggerFor('demo').fatal({ err: error }, 'the demo failed');
    await stop(1);
  }
  if (!options.keep) await stop(0);
  say(
    `It stays up at ${embedded.credentials.base_url}; credentials are in ${join(home, 'credentials.json')}.\n` +
      'Ctrl-C stops it and removes its data.',
  );
});

/** The main job, over HTTP like any client: the example file, then a file with mistakes. */
async function show({ credentials: { base_url: baseUrl, token } }: Embedded): Promise<void> {
  say(`It listens on ${baseUrl}.\n`);
  const example = await (await request(`${baseUrl}/api/v1/cost-import/template?example=1`, token)).text();
  say('The example file, as GET /api/v1/cost-import/template?example=1 gives it, begins with');
  say(indent(example.split('\n').slice(0, 4).join('\n')));
  say(`${describeReport(await upload(baseUrl, token, example))}\n`);
  say('A file with mistakes:');
  say(indent(MISTAKES.trimEnd()));
  say(describeReport(await upload(baseUrl, token, MISTAKES), MISTAKES));
}

async function upload(baseUrl: string, token: string, body: string): Promise<CostImportReport> {
  const response = await request(`${baseUrl}/api/v1/cost-import`, token, { method: 'POST', body });
  return (await response.json()) as CostImportReport;
}

async function request(url: string, token: string, init: RequestInit = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'text/csv' };
  const response = await fetch(url, { ...init, headers });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response;
}

function indent(text: string): string {
  return text.replace(/^/gm, '    ');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
