import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CollectStatus } from '#contracts/collect/collect-report.js';
import { anEvent, collected, COLLECT_PATH, ndjson, statusOf } from '../fixtures/collect-client.js';
import { call, importFile, until } from '../fixtures/cost-import-client.js';
import { get } from '../fixtures/export-client.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

let service: TestService;
let asset: TestAsset;

/** Yesterday, so that the default range has it. */
const DAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  service = await startService();
  asset = await service.newAsset();
  const visit = {
    lt_channel: 'Google Ads',
    lt_channel_type: 'paid',
    lt_source: '=google',
    lt_medium: 'cpc',
    geo_country: 'DE',
  };
  const events = [
    anEvent({ event_time: `${DAY}T10:00:00.5Z`, ...visit, page_path: '@path', ip: '203.0.113.7' }),
    anEvent({ event_time: `${DAY}T10:01:00Z`, ...visit, event_type: 'conversion', global_user_id: '-user' }),
    anEvent({
      event_time: `${DAY}T11:00:00Z`,
      distinct_id: 'visitor-2',
      lt_channel: 'google',
      lt_channel_type: 'paid',
      ua_os: 'Linux',
    }),
  ];
  await collected(service, asset, ndjson(events));
  const consent = {
    consent_id: 'c1',
    consent_at: `${DAY}T10:00:00Z`,
    action: 'accept',
    accepted: ['a', 'b'],
    ip: '203.0.113.7',
  };
  await collected(service, asset, ndjson([consent]), { path: `${COLLECT_PATH}/consent` });
  const identity = {
    global_user_id: '-user',
    email: 'u@example.com',
    phone: '+49 30 1',
    identified_at: `${DAY}T12:00:00Z`,
  };
  await collected(service, asset, ndjson([identity]), { path: `${COLLECT_PATH}/identities` });
  await importFile(service, asset, `date,channel,cost,revenue\n${DAY},adwords,10,25\n`);
  await until<CollectStatus>(
    () => statusOf(service, asset),
    ({ pending }) => pending === 0,
  );
});
afterAll(() => service.stop());

async function file(path: string): Promise<{ rows: string[]; headers: Headers }> {
  const { status, headers, body } = await get(service, asset, path);
  expect([path, status]).toEqual([path, 200]);
  return { rows: body.split('\n').slice(1, -1), headers };
}

describe('what was collected', () => {
  it('comes out in every file', async () => {
    expect((await file('/api/v1/export/channels.csv')).rows).toEqual(['Google Ads,paid,2,2,2,1,10.00,USD,25.00,2.50']);
    expect((await file('/api/v1/export/sources.csv')).rows).toEqual([',,1,1,1,0', "'=google,cpc,1,1,1,1"]);
    expect((await file('/api/v1/export/geo.csv')).rows).toEqual([',,,1,1,1,0', 'DE,,,1,1,1,1']);
    expect((await file('/api/v1/export/tech.csv')).rows).toEqual([',,1,1,1,1', ',Linux,1,1,1,0']);
    expect((await file('/api/v1/export/overview.csv')).rows).toEqual([`${DAY},2,2,2,2,3,1`]);
    expect((await file('/api/v1/export/users.csv')).rows).toEqual([
      `'-user,u@example.com,+49 30 1,,${DAY}T10:00:00Z,${DAY}T12:00:00Z`,
    ]);
    expect((await file('/api/v1/export/channels')).rows.slice(5)).toEqual([
      "Google Ads,paid,'=google,cpc,,1,1,1",
      'google,paid,,,,1,1,1',
      'Total,,,,,2,2,2',
    ]);
    const raw = await file('/api/v1/events/raw?format=csv');
    expect(raw.rows).toEqual([
      `${DAY}T10:00:00Z,page_view,,visitor-1,,,'@path,,,Google Ads,203.0.113.7,DE,,,,`,
      `${DAY}T10:01:00Z,conversion,,visitor-1,'-user,,,,,Google Ads,,DE,,,,`,
      `${DAY}T11:00:00Z,page_view,,visitor-2,,,,,,google,,,,,,Linux`,
    ]);
    expect(raw.headers.get('x-service-formulas-escaped')).toBe('2');
    expect(raw.headers.get('x-service-export-rows')).toBe('3');
    expect(raw.headers.get('x-service-export-limit')).toBeNull();
    const consent = await file('/api/v1/consent/export');
    expect(consent.rows).toEqual([`c1,${DAY}T10:00:00Z,accept,a b,,,,,`]);
    expect(consent.headers.get('x-service-export-limit')).toBe('50000');
  });

  it('is as large as was estimated', async () => {
    for (const path of ['/api/v1/export/sources.csv', '/api/v1/events/raw?format=csv', '/api/v1/export/users.csv']) {
      const { headers } = await file(path);
      const { status, body } = await call<{ rows: number; bytes: number }>(
        service,
        asset,
        JSON.stringify({ path: path.split('?')[0], from: DAY, to: DAY }),
        { path: '/api/v1/exports/estimate', headers: { 'Content-Type': 'application/json' } },
      );
      expect([path, status, body.rows]).toEqual([path, 200, Number(headers.get('x-service-export-rows'))]);
      expect([path, body.bytes]).toEqual([path, Number(headers.get('content-length'))]);
    }
  });
});
