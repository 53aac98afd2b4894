import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { csvLine, importFile, storedRows } from '../fixtures/cost-import-client.js';
import { startService, type TestService } from '../support/service.js';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  await service.stop();
});

const HEADER = 'date,channel,source,campaign,cost,currency,revenue\n';

/** Small files look their keys up one by one, larger ones are compared as a whole. */
it.each([9_999, 10_000, 10_001])('unchanged, changed, new, long and repeated keys among %d rows', async (count) => {
  const asset = await service.newAsset();
  const long = ['漢'.repeat(256), '字'.repeat(256), '語'.repeat(256)];
  const file = (from: number, cost: (row: number) => number): string =>
    HEADER +
    csvLine(['2024-01-06', ...long, String(cost(0)), '', '']) +
    Array.from({ length: count - 1 }, (_, index) => from + index)
      .map((row) => `2024-01-0${(row % 9) + 1},Google,s${row},,${cost(row)},,\n`)
      .join('');
  const first = file(0, () => 1);
  expect(await importFile(service, asset, first)).toMatchObject({ total: count, inserted: count, updated: 0 });
  expect(await importFile(service, asset, first)).toMatchObject({ total: count, inserted: 0, updated: count });

  const moved = file(100, (row) => (row % 2 === 0 ? 1 : 2)).replace(/(.*\n)$/, '$1$1');
  expect(await importFile(service, asset, moved)).toMatchObject({
    total: count + 1,
    inserted: 100,
    updated: count - 99,
  });
  const stored = await storedRows(service, asset);
  expect(stored).toHaveLength(count + 100);
  expect(stored.filter(({ cost }) => cost === '2.000000')).toHaveLength(
    Array.from({ length: count - 1 }, (_, index) => 100 + index).filter((row) => row % 2 === 1).length,
  );
});
