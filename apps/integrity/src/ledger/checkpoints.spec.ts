import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PoolClient } from 'pg';
import { Attacker } from '../../../../test/fixtures/ledger-attack.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DependencyAwayError } from '#runtime/dependency-away.js';
import { ConfigError } from '#runtime/config.js';
import type { ObjectStore } from '#storage/object-store.js';
import { LedgerPlace, type LedgerService } from '../../../../test/fixtures/ledger-place.js';
import { detectionEntries, newSigningKey } from '../../../../test/fixtures/ledger.js';
import { parseCheckpoint } from './checkpoint-note.js';
import { CheckpointObjects } from './checkpoint-objects.js';
import { verifyConsistency } from './merkle.js';
import { queryOn, type Query } from '../scoring/query.js';
import { verifyChain } from './verify-chain.js';
import { LedgerBrokenError } from './ledger.js';
import { LedgerConfig } from './ledger.config.js';
import { lastHour, LedgerWatch } from './ledger-watch.js';
import { parseVerifierKey, verifyNote } from './signed-note.js';
import { ensureKeyFile, parsePrivateKey } from './signing-keys.js';

let place: LedgerPlace;
let service: LedgerService;
beforeAll(async () => {
  place = await LedgerPlace.open();
  service = place.service();
});
afterAll(() => place.close());

const stored = (asset: string) =>
  place.dataSource.query<{ size: string; note: string }[]>(
    'SELECT size, note FROM integrity.checkpoint WHERE asset_id = $1 ORDER BY size',
    [asset],
  );
const pending = async (asset: string) =>
  (await place.dataSource.query<unknown[]>('SELECT FROM integrity.checkpoint_pending WHERE asset_id = $1', [asset]))
    .length;

describe('a checkpoint', () => {
  it('is signed over all entries, stored twice outside, and sent', async () => {
    const asset = await place.filled(service);
    const checkpoint = await service.checkpoints.ensure(asset);
    expect((await stored(asset)).map(({ size }) => Number(size))).toEqual([5, 9, 12]);
    const { size, root, note, keys } = checkpoint ?? { size: 0, root: Buffer.of(), note: '', keys: [] };
    const parsed = parseCheckpoint(note);
    expect(parsed).toMatchObject({ origin: `tallyport/integrity/${asset}`, size: 12, root });
    expect(keys).toHaveLength(1);
    expect(verifyNote(parsed.note, keys.map(parseVerifierKey))).toBeDefined();
    const objects = new CheckpointObjects(place.objects);
    expect([await objects.newest(asset), await objects.ofSize(asset, 12)]).toEqual([note, note]);
    expect(await objects.ofSize(asset, 5)).toBe((await stored(asset))[0]?.note);
    expect(await pending(asset)).toBe(0);
    const events = place.bus.sent.map(({ value }) => (JSON.parse(value) as { data: Record<string, unknown> }).data);
    expect(events).toContainEqual({
      asset_id: asset,
      size,
      root: root.toString('hex'),
      note,
      key: `checkpoints/${asset}/12.txt`,
    });
  });

  it('is signed once for the same entries, also by eight processes at once', async () => {
    const asset = randomUUID();
    const settings = { INTEGRITY_SIGNING_KEY: newSigningKey() };
    await place.service(settings).append(asset, detectionEntries(3));
    const all = await Promise.all(Array.from({ length: 8 }, () => place.service(settings).checkpoints.ensure(asset)));
    expect(new Set(all.map((one) => one?.note)).size).toBe(1);
    expect(await stored(asset)).toHaveLength(1);
  });

  it('is due at once for a new log, after 1,000 entries, and after five minutes', async () => {
    const asset = randomUUID();
    const signed = async (): Promise<number[]> => {
      await service.checkpoints.round();
      return (await stored(asset)).map(({ size }) => Number(size));
    };
    await service.append(asset, detectionEntries(2));
    expect(await signed()).toEqual([2]);
    await service.append(asset, detectionEntries(999));
    expect(await signed()).toEqual([2]);
    await service.append(asset, detectionEntries(1));
    expect(await signed()).toEqual([2, 1_002]);
    await service.append(asset, detectionEntries(1));
    expect(await signed()).toEqual([2, 1_002]);
    await place.service({ CHECKPOINT_INTERVAL_MS: 0, ...sameKey(service) }).checkpoints.round();
    expect(await signed()).toEqual([2, 1_002, 1_003]);
  });

  it('is there for no ledger without entries', async () => {
    expect(await service.checkpoints.ensure(randomUUID())).toBeUndefined();
  });
});

describe('without a key', () => {
  it('entries are appended and nothing is signed; what was signed before is still found', async () => {
    const keyless = place.service({ INTEGRITY_SIGNING_KEY: '' });
    const asset = randomUUID();
    await keyless.append(asset, detectionEntries(3));
    await keyless.checkpoints.round();
    expect(await keyless.checkpoints.ensure(asset)).toBeUndefined();
    expect(await keyless.verify(asset)).toMatchObject({
      isVerified: false,
      isBroken: false,
      problem: 'there is no checkpoint',
    });
    const signed = await place.filled(service);
    expect(await keyless.checkpoints.ensure(signed)).toMatchObject({ size: 12 });
  });

  it('nothing is signed either with a file that is not there', () => {
    const keyless = place.service({
      INTEGRITY_SIGNING_KEY: '',
      INTEGRITY_SIGNING_KEY_FILE: join(place.folder, 'none'),
    });
    expect(keyless.keys.current).toBeUndefined();
  });

  it.each(['nonsense', 'PRIVATE+KEY+x+00000000+AQID'])('a key that is none stops the process: %s', (text) => {
    expect(() => parsePrivateKey(text, 'INTEGRITY_SIGNING_KEY')).toThrow(ConfigError);
  });

  it('a key file is made once', () => {
    const path = join(place.folder, 'signing-key.pem');
    ensureKeyFile(path);
    const { current } = place.service({ INTEGRITY_SIGNING_KEY: '', INTEGRITY_SIGNING_KEY_FILE: path }).keys;
    ensureKeyFile(path);
    const again = place.service({ INTEGRITY_SIGNING_KEY: '', INTEGRITY_SIGNING_KEY_FILE: path }).keys.current;
    expect(current).toBeDefined();
    expect(again?.equals(current as NonNullable<typeof current>)).toBe(true);
    writeFileSync(path, 'spoilt');
    expect(() => place.service({ INTEGRITY_SIGNING_KEY: '', INTEGRITY_SIGNING_KEY_FILE: path })).toThrow(ConfigError);
  });
});

describe('a rotation', () => {
  it('is an entry that both keys sign; each signs the checkpoints of its time', async () => {
    const [first, second, third] = [newSigningKey(), newSigningKey(), newSigningKey()];
    const asset = await place.filled(place.service({ INTEGRITY_SIGNING_KEY: first }));
    const rotating = place.service({ INTEGRITY_SIGNING_KEY: second, INTEGRITY_SIGNING_KEY_PREVIOUS: first });
    await rotating.append(asset, detectionEntries(1));
    expect(await rotating.checkpoints.ensure(asset)).toMatchObject({ size: 14, keys: { length: 2 } });
    const after = place.service({ INTEGRITY_SIGNING_KEY: second });
    await after.append(asset, detectionEntries(1));
    expect(await after.checkpoints.ensure(asset)).toMatchObject({ size: 15, keys: { length: 2 } });
    expect(await after.verify(asset)).toMatchObject({ isVerified: true, size: 15 });
    const back = place.service({ INTEGRITY_SIGNING_KEY: first, INTEGRITY_SIGNING_KEY_PREVIOUS: second });
    await back.append(asset, detectionEntries(1));
    expect(await back.checkpoints.ensure(asset)).toMatchObject({ size: 17, keys: { length: 3 } });
    expect(await back.verify(asset)).toMatchObject({ isVerified: true, problem: undefined });
    // The clock was set back: times of keys and checkpoints still agree.
    await place.dataSource.query(
      "UPDATE integrity.signing_key SET valid_from = valid_from + interval '1 hour' WHERE name LIKE '%' || $1 AND valid_to IS NULL",
      [asset],
    );
    await back.append(asset, detectionEntries(1));
    await back.checkpoints.ensure(asset);
    await place
      .service({ INTEGRITY_SIGNING_KEY: third, INTEGRITY_SIGNING_KEY_PREVIOUS: first })
      .checkpoints.ensure(asset);
    // A key that was not handed over signs nothing.
    const stranger = place.service({ INTEGRITY_SIGNING_KEY: third });
    await stranger.append(asset, detectionEntries(1));
    expect(await stranger.checkpoints.ensure(asset)).toBeUndefined();
    expect(await stranger.verify(asset)).toMatchObject({ isVerified: false, isBroken: false });
    expect(await back.checkpoints.ensure(asset)).toMatchObject({ size: 18 });
  });
});

describe('while the object storage is away', () => {
  const away = new Proxy({} as ObjectStore, {
    get: () => () => Promise.reject(new DependencyAwayError('away')),
  });

  it('checkpoints are signed, and follow when it is back', async () => {
    const settings = sameKey(service);
    const cut = place.service(settings, away);
    const asset = randomUUID();
    await cut.append(asset, detectionEntries(2));
    expect(await cut.checkpoints.ensure(asset)).toMatchObject({ size: 2 });
    expect(await cut.verify(asset)).toMatchObject({
      isVerified: false,
      isBroken: false,
      problem: 'the object storage is away',
    });
    expect(await pending(asset)).toBe(1);
    const back = place.service(settings);
    expect(await back.verify(asset)).toMatchObject({ isVerified: false, isBroken: false });
    await back.checkpoints.round();
    expect(await pending(asset)).toBe(0);
    expect(await back.verify(asset)).toMatchObject({ isVerified: true });
  });
});

describe('what was changed', () => {
  it('is never signed over: a shortened ledger is frozen, until it verifies again', async () => {
    const asset = await place.filled(service);
    await place.dataSource.transaction(async (manager) => {
      await manager.query("SET LOCAL session_replication_role = 'replica'");
      await manager.query('ALTER TABLE integrity.checkpoint DISABLE TRIGGER refuse_change');
      await manager.query(
        'CREATE TABLE public.kept AS SELECT * FROM integrity.checkpoint WHERE asset_id = $1 AND size = 12',
        [asset],
      );
      await manager.query('DELETE FROM integrity.checkpoint WHERE asset_id = $1 AND size = 12', [asset]);
      await manager.query('ALTER TABLE integrity.checkpoint ENABLE ALWAYS TRIGGER refuse_change');
    });
    await service.append(asset, detectionEntries(1));
    expect(await service.checkpoints.ensure(asset)).toBeUndefined();
    await expect(service.append(asset, detectionEntries(1))).rejects.toThrow(LedgerBrokenError);
    expect(await service.verify(asset)).toMatchObject({ isVerified: false, isBroken: true });
    await place.dataSource.query('INSERT INTO integrity.checkpoint SELECT * FROM public.kept; DROP TABLE public.kept');
    expect(await service.verify(asset)).toMatchObject({ isVerified: true });
    await service.append(asset, detectionEntries(1));
    expect(await service.checkpoints.ensure(asset)).toMatchObject({ size: 14 });
  });

  it('is not signed over when another checkpoint of the size lies outside', async () => {
    const asset = randomUUID();
    const [one, other] = [place.service(), await place.filled(service)];
    await place.objects.put(`checkpoints/${asset}/2.txt`, Buffer.from((await stored(other))[0]?.note ?? ''), {
      contentType: 'text/plain',
    });
    await one.append(asset, detectionEntries(2));
    await one.checkpoints.ensure(asset);
    await expect(one.append(asset, detectionEntries(1))).rejects.toThrow(LedgerBrokenError);
    rmSync(join(place.folder, 'checkpoints', asset), { recursive: true });
  });
});

it('a ledger that the database refuses to go on with is frozen', async () => {
  const asset = await place.filled(service);
  const setBack = 'UPDATE integrity.ledger_head SET size = size - 1 WHERE asset_id = $1';
  await place.dataSource.query(setBack, [asset]);
  await expect(service.append(asset, detectionEntries(1))).rejects.toThrow(LedgerBrokenError);
  await service.checkpoints.round();
  const [head] = await place.dataSource.query<{ broken_reason: string | null }[]>(
    'SELECT broken_reason FROM integrity.ledger_head WHERE asset_id = $1',
    [asset],
  );
  expect(head?.broken_reason).toContain('the head does not fit the entries');
});

it('a snapshot taken before a newer checkpoint still verifies, and one of a fork does not', async () => {
  const asset = await place.filled(service);
  const queryRunner = place.dataSource.createQueryRunner();
  const client = (await queryRunner.connect()) as PoolClient;
  const fresh: Query = (sql, parameters) => place.dataSource.query(sql, parameters);
  const exported = () => verifyChain(queryOn(client), asset, 12, { objects: place.objects, fresh, withTree: true });
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query('SELECT 1');
  await service.append(asset, detectionEntries(4));
  await service.checkpoints.ensure(asset);
  const chain = await exported();
  expect(chain).toMatchObject({ isVerified: true, size: 12, checkpoint: { size: 12 }, earlier: { size: 9 } });
  const { tree, checkpoint, earlier } = chain;
  expect(tree?.root(12)).toEqual(checkpoint?.root);
  const proof = tree?.consistencyProof(9, 12) ?? [];
  expect(verifyConsistency(9, 12, earlier?.root ?? Buffer.of(), checkpoint?.root ?? Buffer.of(), proof)).toBe(true);
  const attacker = new Attacker(place, asset);
  await attacker.rebuild((bodies) => bodies.slice(0, 12).concat(bodies.slice(13)));
  expect(await exported()).toMatchObject({ isVerified: false, isBroken: true });
  await client.query('ROLLBACK');
  await queryRunner.release();
});

describe('the nightly hour', () => {
  it('verifies every ledger once, freezes the broken one and no other', async () => {
    const own = await LedgerPlace.open();
    const signing = own.service();
    const [good, broken] = [await own.filled(signing), await own.filled(signing)];
    await new Attacker(own, broken).run([
      "UPDATE integrity.evidence_entry SET body = replace(body, 'google', 'goggle') WHERE asset_id = $1 AND seq = 3",
    ]);
    const watch = () => new LedgerWatch(own.dataSource, own.objects, signing.keys, new LedgerConfig());
    const tomorrow = new Date(Date.now() + 24 * 3_600_000);
    expect(await watch().round(new Date())).toBe(0);
    const looked = await Promise.all([watch().round(tomorrow), watch().round(tomorrow)]);
    const frozen = await own.dataSource.query<unknown[]>(
      'SELECT asset_id, broken_reason FROM integrity.ledger_head WHERE broken_at IS NOT NULL',
    );
    expect(frozen).toEqual([{ asset_id: broken, broken_reason: expect.stringContaining('entry 3') }]);
    expect(looked[0] + looked[1]).toBeGreaterThanOrEqual(2);
    await signing.append(good, detectionEntries(1));
    await own.close();
  });

  it.each([
    ['2026-09-30T02:59:59Z', '2026-09-29T03:00:00.000Z'],
    ['2026-09-30T03:00:00Z', '2026-09-30T03:00:00.000Z'],
    ['2026-09-30T23:00:00Z', '2026-09-30T03:00:00.000Z'],
  ])('was last before %s at %s', (now, expected) => {
    expect(lastHour(new Date(now), 3).toISOString()).toBe(expected);
  });
});

/** The settings of another process with the same key. */
function sameKey({ keys }: LedgerService): { INTEGRITY_SIGNING_KEY: string } {
  return { INTEGRITY_SIGNING_KEY: keys.current?.export({ format: 'pem', type: 'pkcs8' }).toString() ?? '' };
}
