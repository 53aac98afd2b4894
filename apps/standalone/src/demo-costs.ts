import type { CostImportReport } from '#contracts/cost-import.js';
import { describeReport } from './describe-report.js';

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
const EXAMPLE_LINES = 4;

/** The main job, over HTTP like any client: the example file, then a file with mistakes. */
export async function showCostImport(baseUrl: string, token: string, say: (text: string) => void): Promise<void> {
  const example = await (await request(`${baseUrl}/api/v1/cost-import/template?example=1`, token)).text();
  say('The example file, as GET /api/v1/cost-import/template?example=1 gives it, begins with');
  say(indent(example.split('\n').slice(0, EXAMPLE_LINES).join('\n')));
  say(`${describeReport(await upload(baseUrl, token, example))}\n`);
  say('A file with mistakes:');
  say(indent(MISTAKES.trimEnd()));
  say(describeReport(await upload(baseUrl, token, MISTAKES), MISTAKES));
}

/** As something that is quoted. */
export function indent(text: string): string {
  return text.replace(/^/gm, '    ');
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
