import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { run, type Outcome } from '#apps/cli/src/run.js';
import { AccessAdmin } from '#apps/gateway/src/access/access-admin.js';
import { Attacker } from '../fixtures/ledger-attack.js';
import { detectionEntries } from '../fixtures/ledger.js';
import { LedgerPlace, type LedgerService } from '../fixtures/ledger-place.js';

let place: LedgerPlace;
let service: LedgerService;
let keyFile: string;

beforeAll(async () => {
  place = await LedgerPlace.open();
  keyFile = join(place.folder, 'key.pem');
  expect(await tallyport('create-key', keyFile)).toMatchObject({ code: 0 });
  service = place.service({ INTEGRITY_SIGNING_KEY: '', INTEGRITY_SIGNING_KEY_FILE: keyFile });
});
afterAll(() => place.close());

function tallyport(...words: string[]): Promise<Outcome> {
  return run(['integrity', ...words], {
    DATABASE_URL: place.url,
    STORAGE_DIRECTORY: place.folder,
    INTEGRITY_SIGNING_KEY_FILE: keyFile,
  });
}

async function newAsset(): Promise<string> {
  const { asset_id: asset } = await new AccessAdmin(place.dataSource).createAsset('Shop', 'UTC', 'USD');
  return asset;
}

async function newLedger(): Promise<string> {
  const asset = await newAsset();
  await service.append(asset, detectionEntries(7));
  await service.checkpoints.ensure(asset);
  return asset;
}

it('makes a key for its owner alone, and leaves one that is there as it is', async () => {
  const before = readFileSync(keyFile, 'utf8');
  expect(before).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  expect(await tallyport('create-key', keyFile)).toMatchObject({ code: 1, stdout: '' });
  expect(readFileSync(keyFile, 'utf8')).toBe(before);
});

it('verifies a ledger', async () => {
  const asset = await newLedger();
  expect(await tallyport('verify-ledger', '--asset', asset)).toEqual({
    code: 0,
    stdout: `The ledger of asset ${asset} is verified: 7 entries, checkpoint of 7.\n`,
    stderr: '',
  });
  const { stdout } = await tallyport('verify-ledger', '--asset', asset, '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    asset_id: asset,
    verified: true,
    broken: false,
    entries: 7,
    checkpoint_size: 7,
    findings: [],
  });
});

it('exits with 1 and says what is broken', async () => {
  const asset = await newLedger();
  await new Attacker(place, asset).run([
    "UPDATE integrity.evidence_entry SET body = replace(body, 'google', 'goggle') WHERE asset_id = $1 AND seq = 3",
  ]);
  const { code, stdout, stderr } = await tallyport('verify-ledger', '--asset', asset);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toContain(`The ledger of asset ${asset} is BROKEN`);
  expect(stdout).toContain('- entry 3 does not have the hash of its body\n');
  const json = JSON.parse((await tallyport('verify-ledger', '--asset', asset, '--json')).stdout) as object;
  expect(json).toMatchObject({ verified: false, broken: true });
  const [head] = await place.dataSource.query<{ broken_at: Date | null }[]>(
    'SELECT broken_at FROM integrity.ledger_head WHERE asset_id = $1',
    [asset],
  );
  expect(head?.broken_at).toBeInstanceOf(Date);
});

it('verifies a ledger without entries, and knows no other asset', async () => {
  const asset = await newAsset();
  expect(await tallyport('verify-ledger', '--asset', asset)).toMatchObject({ code: 0, stderr: '' });
  const nobody = '00000000-0000-7000-8000-000000000000';
  for (const unknown of [nobody, 'nonsense'])
    expect(await tallyport('verify-ledger', '--asset', unknown)).toEqual({
      code: 1,
      stdout: '',
      stderr: `There is no asset ${unknown}.\n`,
    });
  expect(await tallyport('verify-ledger')).toMatchObject({ code: 2, stdout: '' });
});

it('shows the keys of a ledger', async () => {
  const asset = await newLedger();
  const { code, stdout } = await tallyport('keys', '--asset', asset, '--json');
  expect(code).toBe(0);
  const { keys } = JSON.parse(stdout) as { keys: { key: string; valid_to: string | null }[] };
  expect(keys).toEqual([
    {
      key: expect.stringContaining(`tallyport/integrity/${asset}+`),
      valid_from: expect.stringMatching(/Z$/),
      valid_to: null,
    },
  ]);
  expect((await tallyport('keys', '--asset', await newAsset())).stdout).toBe('Nothing is signed yet.\n');
});
