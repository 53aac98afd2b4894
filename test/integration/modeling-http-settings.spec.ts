import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ModelRows } from '../fixtures/model-rows.js';
import { ModelingClient } from '../fixtures/modeling-client.js';
import { GatewayAndModelingFiles } from '../fixtures/modeling-files-module.js';
import { startService, type TestService } from '../support/service.js';

const SETTINGS = '/api/v1/modeling/settings';
const PUT = { method: 'PUT' };

let service: TestService;
let shop: ModelingClient;

beforeAll(async () => {
  service = await startService({}, GatewayAndModelingFiles);
});

beforeEach(async () => {
  shop = await ModelingClient.ofNewAsset(service);
});

afterAll(async () => {
  await service.stop();
});

const now = async (): Promise<unknown> => (await shop.ask(SETTINGS)).body;

describe('the settings of models', () => {
  it('are conversions by default, and revenue once any value exists', async () => {
    expect(await now()).toEqual({ targets: ['conversions'], conversion_value: null });
    const rows = new ModelRows(service.dataSource, shop.asset.assetId);
    await rows.outcomes([{ day: '2026-01-01', value: 3 }]);
    expect(await now()).toEqual({ targets: ['conversions'], conversion_value: null });
    await rows.outcomes([{ day: '2026-01-01', target: 'revenue', value: 30, currency: 'EUR' }]);
    expect(await now()).toEqual({ targets: ['conversions', 'revenue'], conversion_value: null });
  });

  it('are replaced as a whole, and answered as they are then', async () => {
    const first = { targets: ['revenue', 'goal:signup'], conversion_value: '42.50' };
    expect(await shop.send(SETTINGS, first, PUT)).toMatchObject({ status: 200, body: first });
    expect(await now()).toEqual(first);
    const second = await shop.send(SETTINGS, { conversion_value: 0.1 }, PUT);
    expect(second.body).toEqual({ targets: ['conversions'], conversion_value: '0.1' });
    const third = await shop.send(SETTINGS, { targets: ['revenue'], conversion_value: null }, PUT);
    expect(third.body).toEqual({ targets: ['revenue'], conversion_value: null });
    expect((await shop.send(SETTINGS, { targets: null }, PUT)).body).toEqual({
      targets: ['conversions'],
      conversion_value: null,
    });
    expect((await shop.send(SETTINGS, { conversion_value: 0 }, PUT)).body).toMatchObject({ conversion_value: '0' });
  });

  it('are of one asset', async () => {
    await shop.send(SETTINGS, { targets: ['revenue'] }, PUT);
    const other = await ModelingClient.ofNewAsset(service);
    expect((await other.ask(SETTINGS)).body).toEqual({ targets: ['conversions'], conversion_value: null });
  });

  it.each<[object | string, string | RegExp]>([
    [{ targets: [] }, 'targets must be a list of 1 to 20'],
    [{ targets: 'revenue' }, /^targets must be a list/],
    [{ targets: ['sessions'] }, /^targets\[0\] must be `conversions`/],
    [{ targets: ['revenue', 'revenue'] }, 'targets[1] is in the list already'],
    [{ targets: [null] }, /^targets\[0\] must be/],
    [{ targets: Array.from({ length: 21 }, (_, index) => `goal:${index}`) }, /^targets must be a list of 1 to 20/],
    [{ conversion_value: -1 }, 'conversion_value must not be negative'],
    [{ conversion_value: '-0.01' }, 'conversion_value must not be negative'],
    [{ conversion_value: '1,5' }, /^conversion_value must be a decimal/],
    [{ conversion_value: 'much' }, /^conversion_value must be a decimal/],
    [{ conversion_value: true }, /^conversion_value must be a decimal/],
    [{ conversion_value: 1e21 }, /^conversion_value must be a decimal/],
    [{ conversion_value: '0.1234567' }, /^conversion_value must be a decimal/],
    [{ currency: 'EUR' }, 'currency is not a member of this body'],
    ['{"targets": null, "targets": ["revenue"]}', 'targets is given more than once'],
  ])('%j is refused, and nothing changes', async (body, reason) => {
    await shop.send(SETTINGS, { targets: ['revenue'], conversion_value: 5 }, PUT);
    const faults = await shop.refusal(SETTINGS, body, PUT);
    expect(faults).toEqual([typeof reason === 'string' ? reason : expect.stringMatching(reason)]);
    expect(await now()).toEqual({ targets: ['revenue'], conversion_value: '5' });
  });

  it.each([
    ['no JSON', '{', 400, 'invalid_json'],
    ['a list', '[]', 400, 'invalid_json'],
    ['too large', JSON.stringify({ targets: ['x'.repeat(16_384)] }), 413, 'body_too_large'],
  ])('%s is refused', async (_, body, status, code) => {
    expect(await shop.send(SETTINGS, body, PUT)).toMatchObject({ status, code });
  });

  it('are read with models:read and replaced with models:write', async () => {
    const [reader, writer] = [await shop.tokenOf(['models:read']), await shop.tokenOf(['models:write'])];
    expect((await shop.ask(SETTINGS, { token: reader })).status).toBe(200);
    expect((await shop.ask(SETTINGS, { token: writer })).status).toBe(403);
    expect((await shop.send(SETTINGS, {}, { ...PUT, token: writer })).status).toBe(200);
    expect((await shop.send(SETTINGS, {}, { ...PUT, token: reader })).status).toBe(403);
  });
});
