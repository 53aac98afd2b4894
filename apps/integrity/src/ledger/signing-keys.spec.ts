import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigError } from '#runtime/config.js';
import { Attacker } from '../../../../test/fixtures/ledger-attack.js';
import { LedgerPlace, type LedgerService } from '../../../../test/fixtures/ledger-place.js';
import { ensureSigningKeyFile, newSigningKey } from '#runtime/signing-key-file.js';
import { detectionEntries } from '../../../../test/fixtures/ledger.js';
import { parsePrivateKey } from './signing-keys.js';

let place: LedgerPlace;
let service: LedgerService;
beforeAll(async () => {
  place = await LedgerPlace.open();
  service = place.service();
});
afterAll(() => place.close());

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
    ensureSigningKeyFile(path);
    const { current } = place.service({ INTEGRITY_SIGNING_KEY: '', INTEGRITY_SIGNING_KEY_FILE: path }).keys;
    ensureSigningKeyFile(path);
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
    // A key that was not handed over signs nothing.
    const stranger = place.service({ INTEGRITY_SIGNING_KEY: third });
    await stranger.append(asset, detectionEntries(1));
    expect(await stranger.checkpoints.ensure(asset)).toBeUndefined();
    expect(await stranger.verify(asset)).toMatchObject({ isVerified: false, isBroken: false });
    expect(await back.checkpoints.ensure(asset)).toMatchObject({ size: 18 });
  });
});

it('rotations verify also when the clock was set back before them', async () => {
  const keys = [newSigningKey(), newSigningKey(), newSigningKey()] as const;
  const asset = await place.filled(place.service({ INTEGRITY_SIGNING_KEY: keys[0] }));
  await new Attacker(place, asset).run([
    "UPDATE integrity.checkpoint SET created_at = created_at + interval '1 hour' WHERE asset_id = $1",
  ]);
  for (const turn of [1, 2] as const) {
    const next = place.service({
      INTEGRITY_SIGNING_KEY: keys[turn],
      INTEGRITY_SIGNING_KEY_PREVIOUS: turn === 1 ? keys[0] : keys[1],
    });
    await next.append(asset, detectionEntries(1));
    expect(await next.checkpoints.ensure(asset)).toMatchObject({ size: 12 + 2 * turn });
    expect(await next.verify(asset)).toMatchObject({ isVerified: true, problem: undefined });
  }
});
