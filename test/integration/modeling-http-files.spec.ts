import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { endOf, EXPORTS } from '../fixtures/export-client.js';
import { MARKET_TEST, ModelingClient, RUNS, TESTS } from '../fixtures/modeling-client.js';
import { GatewayAndModelingFiles } from '../fixtures/modeling-files-module.js';
import { liftNumbers } from '../fixtures/modeling-numbers.js';
import { startService, type TestService } from '../support/service.js';

const UNKNOWN = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const MIX_COST = 'roi,roi_lo,roi_hi,mroi,cpa';
const LIFT_COST = 'spend_window,incremental_roas,cpa';

let service: TestService;
let shop: ModelingClient;

beforeAll(async () => {
  service = await startService({}, GatewayAndModelingFiles);
});

beforeEach(async () => {
  shop = await ModelingClient.ofNewAsset(service, 'Europe/Berlin');
});

afterAll(async () => {
  await service.stop();
});

/** As its evaluated numbers say. */
const TEST = { ...MARKET_TEST, test_from: '2026-03-01', test_to: '2026-03-07' };

interface Kind {
  name: string;
  base: string;
  table: 'run' | 'lift_test';
  make: () => Promise<string>;
  unfinished: () => Promise<string>;
  fileName: (id: string) => string;
  range: string;
  begins: string;
  cost: string;
  states: readonly string[];
}

const KINDS: Kind[] = [
  {
    name: 'a run',
    base: RUNS,
    table: 'run',
    make: () => shop.fittedRun(),
    unfinished: () => shop.newRun(),
    fileName: (id) => `mmm-${id.slice(0, 8)}.csv`,
    range: '2026-01-05..2026-01-18',
    begins: '\uFEFFtitle,Marketing mix model\nrun_id,',
    cost: MIX_COST,
    states: ['queued', 'running', 'failed', 'skipped'],
  },
  {
    name: 'a test',
    base: TESTS,
    table: 'lift_test',
    make: () => shop.evaluatedTest(liftNumbers(), TEST),
    unfinished: () => shop.newTest(TEST),
    fileName: (id) => `lift-${id.slice(0, 8)}.csv`,
    range: '2026-02-28..2026-03-07',
    begins: 'title,Lift test\ntest_id,',
    cost: LIFT_COST,
    states: ['scheduled', 'queued', 'running', 'failed'],
  },
];

async function exportsOf({ asset }: ModelingClient): Promise<number> {
  const [row] = await service.dataSource.query('SELECT count(*)::int AS jobs FROM exports.job WHERE asset_id = $1', [
    asset.assetId,
  ]);
  return row.jobs as number;
}

describe.each(KINDS)(
  'the file of $name',
  ({ base, table, make, unfinished, fileName, range, begins, cost, states }) => {
    it('has its name, its days and its columns', async () => {
      const id = await make();
      const { status, body, headers } = await shop.ask(`${base}/${id}/export.csv`);
      expect([status, (body as string).startsWith(begins.replace('\uFEFF', ''))]).toEqual([200, true]);
      expect(headers.get('content-disposition')).toBe(`attachment; filename="${fileName(id)}"`);
      expect(headers.get('x-service-date-range')).toBe(range);
      expect(headers.get('x-service-timezone')).toBe('Europe/Berlin');
      expect(headers.get('x-service-asset')).toBe(shop.asset.assetId);
      expect(headers.get('x-service-columns-omitted')).toBeNull();
      expect(body).toContain(cost);
    });

    it('has a byte-order mark as it should, or as it is asked', async () => {
      const id = await make();
      const first = async (query: string): Promise<number | undefined> => {
        const response = await fetch(`${service.baseUrl}${base}/${id}/export.csv${query}`, {
          headers: { Authorization: `Bearer ${shop.asset.token}` },
        });
        return new Uint8Array(await response.arrayBuffer())[0];
      };
      const [mark, letter] = [0xef, 't'.charCodeAt(0)];
      expect([await first(''), await first('?bom=1'), await first('?bom=0')]).toEqual([
        begins.startsWith('\uFEFF') ? mark : letter,
        mark,
        letter,
      ]);
    });

    it('is the same whatever days are asked', async () => {
      const path = `${base}/${await make()}/export.csv`;
      const { headers, body } = await shop.ask(path);
      for (const query of [
        'from=2020-01-01&to=2026-12-31',
        'from=2026-02-02&to=2026-02-01',
        'from=x',
        'to=2026-01-01',
      ]) {
        const other = await shop.ask(`${path}?${query}`);
        expect([other.status, other.headers.get('x-service-date-range'), other.body]).toEqual([200, range, body]);
        expect(other.headers.get('etag')).toBe(headers.get('etag'));
      }
      for (const query of ['colour=red', 'from=2026-01-01&from=2026-01-02', 'bom=2', 'format=json', 'include=weeks'])
        expect(await shop.ask(`${path}?${query}`)).toMatchObject({ status: 400, code: 'invalid_parameter' });
    });

    it('answers HEAD, 304 and later, as every file', async () => {
      const id = await make();
      const path = `${base}/${id}/export.csv`;
      const head = await shop.ask(path, { method: 'HEAD' });
      expect([head.status, Number(head.headers.get('content-length')) > 200]).toEqual([200, true]);
      const etag = head.headers.get('etag') ?? '';
      expect((await shop.ask(path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
      const accepted = await shop.ask(path, { headers: { Prefer: 'respond-async' } });
      expect([accepted.status, accepted.headers.get('x-service-date-range')]).toEqual([202, range]);
      const { export_id: exportId } = accepted.body as { export_id: string };
      const record = await endOf(service, shop.asset, exportId);
      expect(record).toMatchObject({ path, status: 'succeeded', file: { name: fileName(id) } });
      const { pathname, search } = new URL(record.download_url ?? '', service.baseUrl);
      const file = await fetch(service.baseUrl + pathname + search);
      expect(await file.text()).toContain(id);
    });

    it('is not made before there are numbers: 409, and nothing is queued', async () => {
      const id = await unfinished();
      for (const status of states) {
        await shop.setStatus(table, id, status);
        for (const headers of [{}, { Prefer: 'respond-async' }] as Record<string, string>[]) {
          const answer = await shop.ask(`${base}/${id}/export.csv`, { headers });
          expect(answer).toMatchObject({ status: 409, code: 'invalid_state' });
          expect((answer.body as { detail: string }).detail).toContain(`is ${status}`);
          expect(answer.headers.get('retry-after')).toBe(['queued', 'running'].includes(status) ? '1' : null);
        }
        expect((await shop.ask(`${base}/${id}/export.csv`, { method: 'HEAD' })).status).toBe(409);
      }
      expect(await exportsOf(shop)).toBe(0);
    });

    it('of another tenant does not exist, finished or not', async () => {
      const other = await ModelingClient.ofNewAsset(service);
      const unfinishedId = await unfinished();
      for (const id of [unfinishedId, UNKNOWN, 'no-uuid'])
        expect(await other.ask(`${base}/${id}/export.csv`)).toMatchObject({ status: 404, code: 'not_found' });
      const path = `${base}/${unfinishedId}/export.csv?asset_id=${other.asset.assetId}`;
      expect((await shop.ask(path)).status).toBe(404);
      expect(await exportsOf(other)).toBe(0);
    });

    it('needs models:read, and loses its cost columns under the restriction', async () => {
      const path = `${base}/${await make()}/export.csv`;
      const stranger = await shop.tokenOf(['models:write', 'reports:read', 'integrity:read']);
      expect(await shop.ask(path, { token: stranger })).toMatchObject({ status: 403, code: 'forbidden' });
      const token = await shop.tokenOf(['models:read'], ['cost_data']);
      const { body, headers } = await shop.ask(path, { token });
      expect(headers.get('x-service-columns-omitted')).toBe(cost);
      for (const column of cost.split(',')) expect(body).not.toContain(column);
      const withCost = (await shop.ask(path)).headers.get('x-service-export-id') ?? '';
      expect((await shop.ask(`${EXPORTS}/${withCost}`)).status).toBe(200);
      expect(await shop.ask(`${EXPORTS}/${withCost}`, { token })).toMatchObject({ status: 403, code: 'forbidden' });
    });

    it('is estimated, whatever days are asked', async () => {
      const id = await make();
      const estimate = (body: object, token?: string): ReturnType<ModelingClient['send']> =>
        shop.send(`${EXPORTS}/estimate`, body, token === undefined ? {} : { token });
      const path = `${base}/${id}/export.csv`;
      const { status, body } = await estimate({ path, from: '2010-01-01', to: '2026-01-01' });
      expect([status, body]).toEqual([200, { rows: 2, bytes: expect.any(Number), limit: null, truncated: 0 }]);
      expect((await estimate({ path: `${path}?bom=0&formulas=raw` })).status).toBe(200);
      expect((await estimate({ path: `${path}?format=json` })).status).toBe(400);
      expect((await estimate({ path: `${base}/${UNKNOWN}/export.csv` })).status).toBe(404);
      expect((await estimate({ path: `${base}/no-uuid/export.csv` })).status).toBe(400);
      await shop.setStatus(table, id, 'failed');
      expect(await estimate({ path })).toMatchObject({ status: 409, code: 'invalid_state' });
      expect((await estimate({ path }, await shop.tokenOf(['reports:read']))).status).toBe(403);
      const other = await ModelingClient.ofNewAsset(service);
      expect((await other.send(`${EXPORTS}/estimate`, { path })).status).toBe(404);
    });
  },
);
