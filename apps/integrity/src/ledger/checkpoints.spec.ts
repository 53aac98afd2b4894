import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PoolClient } from 'pg';
import { Attacker } from '../../../../test/fixtures/ledger-attack.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DependencyAwayError } from '#runtime/dependency-away.js';
import type { ObjectStore } from '#storage/object-store.js';
import { LedgerPlace, type LedgerService } from '../../../../test/fixtures/ledger-place.js';
import { newSigningKey } from '#runtime/signing-key-file.js';
import { detectionEntries } from '../../../../test/fixtures/ledger.js';
import { parseCheckpoint } from './checkpoint-note.js';
import { CheckpointObjects } from './checkpoint-objects.js';
import { verifyConsistency } from './merkle.js';
import { queryOn, type Query } from '../scoring/query.js';
import { verifyChain } from './verify-chain.js';
import { LedgerBrokenError } from './ledger.js';
import { parseVerifierKey, verifyNote } from './signed-note.js';

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

/** The settings of another process with the same key. */
function sameKey({ keys }: LedgerService): { INTEGRITY_SIGNING_KEY: string } {
  return { INTEGRITY_SIGNING_KEY: keys.current?.export({ format: 'pem', type: 'pkcs8' }).toString() ?? '' };
}
