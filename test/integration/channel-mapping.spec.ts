import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CostImportReport } from '#contracts/cost-import.js';
import { importFile } from '../fixtures/cost-import-client.js';
import { ModelingClient } from '../fixtures/modeling-client.js';
import { startService, type TestService } from '../support/service.js';

const MAPPING = '/api/v1/channel-mapping';
const PUT = { method: 'PUT' };
const FLYERS = { name: 'Flyers', family: 'print' };
const CARRIER = { name: 'Brieftaube', family: 'direct_mail' };

let service: TestService;
let shop: ModelingClient;

beforeAll(async () => {
  service = await startService();
});

beforeEach(async () => {
  shop = await ModelingClient.ofNewAsset(service);
});

afterAll(async () => {
  await service.stop();
});

const now = async (client = shop): Promise<unknown> => (await client.ask(MAPPING)).body;
const replace = (mapping: unknown): ReturnType<ModelingClient['send']> => shop.send(MAPPING, { mapping }, PUT);

describe('the channel mapping of an asset', () => {
  it('is empty at first, and replaced as a whole', async () => {
    expect(await now()).toEqual({ mapping: [] });
    expect(await replace([FLYERS, CARRIER])).toMatchObject({ status: 200, body: { mapping: [CARRIER, FLYERS] } });
    expect(await now()).toEqual({ mapping: [CARRIER, FLYERS] });
    expect((await replace([{ name: '  flyers! ', family: 'ooh' }])).body).toEqual({
      mapping: [{ name: 'flyers!', family: 'ooh' }],
    });
    expect((await replace([])).body).toEqual({ mapping: [] });
  });

  it('is of one asset', async () => {
    await replace([FLYERS]);
    expect(await now(await ModelingClient.ofNewAsset(service))).toEqual({ mapping: [] });
  });

  it('says what imports know', async () => {
    const csv = 'date,channel,cost\n2026-01-04,flyérs,10\n2026-01-04,Brieftaube,10\n';
    await replace([FLYERS]);
    const report: CostImportReport = await importFile(service, shop.asset, csv);
    expect(report.warnings.map(({ code, line }) => `${line} ${code}`)).toEqual(['3 unknown_channel']);
  });

  it('takes a thousand of the longest names', async () => {
    const mapping = Array.from({ length: 1_000 }, (_, index) => ({
      name: `${index} `.padEnd(256, 'щ'),
      family: 'other',
    }));
    expect((await replace(mapping)).status).toBe(200);
    expect(((await now()) as { mapping: unknown[] }).mapping).toHaveLength(1_000);
    const more = [...mapping.slice(0, 999), FLYERS, CARRIER];
    expect(await shop.refusal(MAPPING, { mapping: more }, PUT)).toEqual(['mapping must be a list of 0 to 1000']);
  });

  it.each<[string, unknown, string | RegExp]>([
    ['no mapping', {}, 'mapping is missing'],
    ['no list', { mapping: FLYERS }, /^mapping must be a list/],
    ['an item that is no object', { mapping: ['Flyers'] }, /^mapping\[0\] must be an object/],
    ['no name', { mapping: [{ family: 'print' }] }, 'mapping[0].name is missing'],
    ['a blank name', { mapping: [FLYERS, { name: ' ', family: 'print' }] }, /^mapping\[1\].name must be text/],
    ['a long name', { mapping: [{ name: 'x'.repeat(257), family: 'print' }] }, /^mapping\[0\].name must be text/],
    ['a name of signs', { mapping: [{ name: '§§', family: 'print' }] }, 'mapping[0].name needs a letter or a digit'],
    ['no family', { mapping: [{ name: 'Flyers' }] }, 'mapping[0].family is missing'],
    [
      'an unknown family',
      { mapping: [{ name: 'Flyers', family: 'paper' }] },
      /^mapping\[0\].family must be one of search,/,
    ],
    ['a name twice', { mapping: [FLYERS, FLYERS] }, 'mapping[1].name reads like a name before it'],
    [
      'names that read alike',
      { mapping: [FLYERS, { name: 'FLYÉRS', family: 'ooh' }] },
      'mapping[1].name reads like a name before it',
    ],
    [
      'a member of an item that is unknown',
      { mapping: [{ ...FLYERS, slug: 'x' }] },
      'mapping[0].slug is not a member of this body',
    ],
    ['an unknown member', { mapping: [], colour: 'red' }, 'colour is not a member of this body'],
  ])('%s is refused, and nothing changes', async (_, body, reason) => {
    await replace([CARRIER]);
    const faults = await shop.refusal(MAPPING, body, PUT);
    expect(faults).toEqual([typeof reason === 'string' ? reason : expect.stringMatching(reason)]);
    expect(await now()).toEqual({ mapping: [CARRIER] });
  });

  it.each([
    ['no JSON', '{', 400, 'invalid_json'],
    ['a list', JSON.stringify([FLYERS]), 400, 'invalid_json'],
    ['over a mebibyte', JSON.stringify({ mapping: 'x'.repeat(1_048_576) }), 413, 'body_too_large'],
  ])('%s is refused', async (_, body, status, code) => {
    expect(await shop.send(MAPPING, body, PUT)).toMatchObject({ status, code });
  });

  it('is one of both, when two replace it at the same time', async () => {
    const mappings = Array.from({ length: 8 }, (_, index) => [
      { name: `flyers ${'!'.repeat(index)}`, family: 'print' },
    ]);
    const answers = await Promise.all(mappings.map(replace));
    expect(answers.map(({ status }) => status)).toEqual(mappings.map(() => 200));
    expect(((await now()) as { mapping: unknown[] }).mapping).toHaveLength(1);
  });

  it('needs cost:write', async () => {
    const [reader, writer] = [await shop.tokenOf(['cost:read', 'models:write']), await shop.tokenOf(['cost:write'])];
    for (const [token, status] of [
      [reader, 403],
      [writer, 200],
    ] as const) {
      expect((await shop.ask(MAPPING, { token })).status).toBe(status);
      expect((await shop.send(MAPPING, { mapping: [] }, { ...PUT, token })).status).toBe(status);
    }
  });
});
