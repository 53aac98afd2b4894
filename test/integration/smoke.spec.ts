import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startService, type TestService } from '../support/service.js';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  await service.stop();
});

it('imports a file and answers with its report', async () => {
  const { token } = await service.newAsset();
  const response = await fetch(`${service.baseUrl}/api/v1/cost-import`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'text/csv' },
    body: 'date,channel,cost\n2026-01-04,Google Ads,10\n',
  });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ ok: true, total: 1, inserted: 1, updated: 0, skipped: 0 });
});
