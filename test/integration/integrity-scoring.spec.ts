import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startService, type TestAsset, type TestService } from '../support/service.js';

const DAY_MS = 86_400_000;
let service: TestService;

beforeAll(async () => {
  service = await startService({ SCORE_QUIET_MS: '300', SCORE_INTERVAL_MS: '1000' });
});

afterAll(() => service.stop());

/** Midnight UTC some days ago. */
function daysAgo(days: number): number {
  return Math.floor(Date.now() / DAY_MS) * DAY_MS - days * DAY_MS;
}

const HOSTING = '5.9.10'; // Hetzner
const HOME = '79.192.8'; // Deutsche Telekom

interface Line {
  event_id: string;
  event_time: string;
  event_type: string;
  distinct_id: string;
  lt_channel: string;
  ip: string;
  ua_browser: string;
  ua_os: string;
  page_path: string;
  geo_country: string;
}

let events = 0;
function event(at: number, visitor: string, ip: string, more: Partial<Line> = {}): Line {
  return {
    event_id: `e-${++events}`,
    event_time: new Date(at).toISOString(),
    event_type: 'page_view',
    distinct_id: visitor,
    lt_channel: 'Google Ads',
    ip,
    ua_browser: 'Chrome',
    ua_os: 'Windows',
    page_path: '/',
    geo_country: 'DE',
    ...more,
  };
}

/** People at home who look around, and a hoster's network that clicks every ten minutes and leaves. */
function traffic(): Line[] {
  const lines: Line[] = [];
  for (let day = 9; day >= 3; day--) {
    for (let person = 0; person < 60; person++) {
      const at = daysAgo(day) + 7 * 3_600_000 + person * 700_000 + ((person * 7919) % 300) * 1000;
      const visitor = `human-${day}-${person % 45}`;
      const ip = `79.192.${person % 50}.${(person * 37) % 250}`;
      lines.push(event(at, visitor, ip));
      if (person % 3 !== 0) lines.push(event(at + 25_000, visitor, ip, { page_path: '/a' }), event(at + 95_000, visitor, ip, { page_path: '/b' }));
      if (person % 12 === 1) lines.push(event(at + 130_000, visitor, ip, { event_type: 'conversion', page_path: '/thanks' }));
    }
    for (let click = 0; click < 140; click++)
      lines.push(event(daysAgo(day) + click * 600_000 + 3000, `bot-${day}-${click}`, `${HOSTING}.${click % 4}`, { ua_os: 'Linux' }));
  }
  return lines;
}

async function call(asset: TestAsset, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${service.baseUrl}/api/v1/${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${asset.token}`, ...(init.headers as Record<string, string>) },
  });
}

async function collect(asset: TestAsset, lines: readonly Line[]): Promise<void> {
  for (let from = 0; from < lines.length; from += 1000) {
    const body = lines.slice(from, from + 1000).map((line) => JSON.stringify(line)).join('\n');
    const answer = await call(asset, 'collect/events', { method: 'POST', headers: { 'Content-Type': 'application/x-ndjson' }, body });
    expect(answer.ok).toBe(true);
  }
}

async function settled(asset: TestAsset): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const status = (await (await call(asset, 'integrity/status')).json()) as Record<string, unknown>;
    if (status['pending_events'] === 0 && status['dirty_networks'] === 0 && status['scored_through'] !== null) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(JSON.stringify(await (await call(asset, 'integrity/status')).json()));
}

describe('a network of a hoster that clicks on ads', () => {
  it('is found, listed, claimed and proven', async () => {
    const asset = await service.newAsset();
    const lines = traffic();
    const costs = ['date,channel,cost,currency', ...[9, 8, 7, 6, 5, 4, 3].map((day) => `${new Date(daysAgo(day)).toISOString().slice(0, 10)},Google Ads,100.00,USD`)].join('\n');
    await call(asset, 'cost-import', { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: costs });
    await collect(asset, lines);
    await settled(asset);
    const list = (await (await call(asset, 'integrity/entities')).json()) as { items: unknown[] };
    console.log(JSON.stringify(list, null, 1));
    for (const path of ['evidence/refund.csv', 'blocklist/google.csv', 'blocklist.csv', 'blocklist/meta.csv', `entities/net-${HOSTING}.0-24/export.csv`]) {
      const answer = await call(asset, `integrity/${path}`);
      console.log(path, answer.status, [...answer.headers].filter(([name]) => name.startsWith('x-') || name.startsWith('content-d')), await answer.text());
    }
    console.log((await (await call(asset, 'integrity/evidence/bundle.json')).text()).slice(0, 3000));
  });
});
