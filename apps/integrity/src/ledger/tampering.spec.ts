import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { Attacker, hashOf } from '../../../../test/fixtures/ledger-attack.js';
import { LedgerPlace, type LedgerService } from '../../../../test/fixtures/ledger-place.js';
import { newSigningKey } from '#runtime/signing-key-file.js';
import { detectionEntries } from '../../../../test/fixtures/ledger.js';
import { signCheckpoint } from './checkpoint-note.js';
import { LedgerBrokenError } from './ledger.js';
import { verifyChain } from './verify-chain.js';

let place: LedgerPlace;
let service: LedgerService;
let other: string;
beforeAll(async () => {
  place = await LedgerPlace.open();
  service = place.service();
  other = await place.filled(service);
});
afterAll(() => place.close());

const ENTRY = 'UPDATE integrity.evidence_entry SET';
const AT = 'WHERE asset_id = $1 AND seq = $2';
const HEAD = 'UPDATE integrity.ledger_head SET';
const edited = (body: string): string => body.replace('"sessions":', '"sessions":9');

function changeFourth(bodies: Record<string, unknown>[]): Record<string, unknown>[] {
  return bodies.map((body, index) => (index === 3 ? { ...body, at: '2020-01-01T00:00:00.000Z' } : body));
}

/** Each way to change what is stored: what is found, and how it is done. */
const ATTACKS: Record<string, (attacker: Attacker) => Promise<void>> = {
  'a body is edited': async (a) => a.run([`${ENTRY} body = $3 ${AT}`, 4, edited(await a.body(4))]),
  'a body is edited with its hash': async (a) => {
    const body = edited(await a.body(4));
    await a.run([`${ENTRY} body = $3, entry_hash = $4 ${AT}`, 4, body, hashOf(body)]);
  },
  'a body is edited with its hash and the next link': async (a) => {
    const body = edited(await a.body(4));
    await a.run(
      [`${ENTRY} body = $3, entry_hash = $4 ${AT}`, 4, body, hashOf(body)],
      [`${ENTRY} prev_hash = $3 ${AT}`, 5, hashOf(body)],
    );
  },
  'the last body is edited with its hash and the head': async (a) => {
    const body = edited(await a.body(12));
    await a.run(
      [`${ENTRY} body = $3, entry_hash = $4 ${AT}`, 12, body, hashOf(body)],
      [`${HEAD} last_hash = $2 WHERE asset_id = $1`, hashOf(body)],
    );
  },
  'a time is changed': async (a) => a.run([`${ENTRY} body = $3 ${AT}`, 2, (await a.body(2)).replace('T', ' ')]),
  'white space is added': async (a) => a.run([`${ENTRY} body = $3 ${AT}`, 2, (await a.body(2)).replace(',', ', ')]),
  'a kind is changed': async (a) => a.run([`${ENTRY} kind = 'erasure' ${AT}`, 4]),
  'a link is changed': async (a) => a.run([`${ENTRY} prev_hash = $3 ${AT}`, 4, Buffer.alloc(32)]),
  'a hash is changed': async (a) => a.run([`${ENTRY} entry_hash = $3 ${AT}`, 4, Buffer.alloc(32)]),
  'the whole chain is rebuilt': async (a) => a.rebuild(changeFourth),
  'the whole chain is rebuilt without an entry': async (a) => a.rebuild((bodies) => bodies.slice(1)),
  'the whole chain is rebuilt with one more': async (a) => a.rebuild((bodies) => [...bodies.slice(0, 1), ...bodies]),
  'the whole chain is rebuilt and signed by a stranger': async (a) => {
    await a.rebuild(changeFourth);
    await a.resign();
  },
  'the whole chain is rebuilt and signed with the key swapped': async (a) => {
    await a.rebuild(changeFourth);
    await a.resign();
    await a.swapKey();
  },
  'the whole chain is rebuilt and its checkpoints are deleted': async (a) => {
    await a.rebuild(changeFourth);
    await a.run(['DELETE FROM integrity.checkpoint WHERE asset_id = $1']);
  },
  'the whole chain is rebuilt, its checkpoints and its key are deleted': async (a) => {
    await a.rebuild(changeFourth);
    await a.run(
      ['DELETE FROM integrity.checkpoint WHERE asset_id = $1'],
      ["DELETE FROM integrity.signing_key WHERE name LIKE '%' || $1::text"],
    );
  },
  'an entry is deleted': async (a) => a.run([`DELETE FROM integrity.evidence_entry ${AT}`, 4]),
  'an entry is deleted and the rest counted anew': async (a) =>
    a.run(
      [`DELETE FROM integrity.evidence_entry ${AT}`, 4],
      ['UPDATE integrity.evidence_entry SET seq = seq - 101 WHERE asset_id = $1 AND seq > 4'],
      ['UPDATE integrity.evidence_entry SET seq = seq + 100 WHERE asset_id = $1 AND seq < 0'],
      [`${HEAD} size = 11 WHERE asset_id = $1`],
    ),
  'the first entry is deleted': async (a) => a.run([`DELETE FROM integrity.evidence_entry ${AT}`, 1]),
  'the tail is dropped': async (a) => a.run(['DELETE FROM integrity.evidence_entry WHERE asset_id = $1 AND seq > 9']),
  'the tail is dropped and the head set back': async (a) => a.rebuild((bodies) => bodies.slice(0, 9)),
  'the tail is dropped, the head set back and the checkpoint deleted': async (a) => {
    await a.rebuild((bodies) => bodies.slice(0, 9));
    await a.run(['DELETE FROM integrity.checkpoint WHERE asset_id = $1 AND size > 9']);
  },
  'everything is deleted': async (a) =>
    a.run(
      ['DELETE FROM integrity.evidence_entry WHERE asset_id = $1'],
      ['DELETE FROM integrity.checkpoint WHERE asset_id = $1'],
      ['DELETE FROM integrity.ledger_head WHERE asset_id = $1'],
    ),
  'two entries are exchanged': async (a) =>
    a.run(
      [`${ENTRY} seq = -1 ${AT}`, 4],
      [`${ENTRY} seq = 4 ${AT}`, 5],
      [`${ENTRY} seq = 5 WHERE asset_id = $1 AND seq = -1`],
    ),
  'the order is reversed with every hash': async (a) => a.rebuild((bodies) => bodies.reverse()),
  'an entry is added behind the head': async (a) =>
    a.run([
      `INSERT INTO integrity.evidence_entry SELECT asset_id, 13, kind, body, entry_hash, sha256(entry_hash) FROM integrity.evidence_entry ${AT}`,
      12,
    ]),
  'an entry stands before the first': async (a) =>
    a.run([
      `INSERT INTO integrity.evidence_entry SELECT asset_id, 0, kind, body, prev_hash, sha256(entry_hash) FROM integrity.evidence_entry ${AT}`,
      1,
    ]),
  'an entry of another asset takes the place of one': async (a) =>
    a.run([
      `${ENTRY} (body, prev_hash, entry_hash) = (SELECT body, prev_hash, entry_hash FROM integrity.evidence_entry WHERE asset_id = $3 AND seq = $2) ${AT}`,
      4,
      other,
    ]),
  'the whole chain of another asset takes its place': async (a) =>
    a.run(
      ['DELETE FROM integrity.evidence_entry WHERE asset_id = $1'],
      [
        `INSERT INTO integrity.evidence_entry SELECT $1, seq, kind, body, prev_hash, entry_hash FROM integrity.evidence_entry WHERE asset_id = $2`,
        other,
      ],
      [
        `${HEAD} (last_hash, range) = (SELECT last_hash, range FROM integrity.ledger_head WHERE asset_id = $2) WHERE asset_id = $1`,
        other,
      ],
    ),
  'the newest checkpoint is deleted': async (a) =>
    a.run(['DELETE FROM integrity.checkpoint WHERE asset_id = $1 AND size = 12']),
  'an earlier checkpoint says something else': async (a) =>
    a.run([
      "UPDATE integrity.checkpoint SET note = replace(note, 'integrity', 'integritx') WHERE asset_id = $1 AND size = 5",
    ]),
  'all checkpoints are deleted': async (a) => a.run(['DELETE FROM integrity.checkpoint WHERE asset_id = $1']),
  'an old checkpoint is replayed as the newest': async (a) =>
    a.run(['UPDATE integrity.checkpoint SET note = $2 WHERE asset_id = $1 AND size = 12', await a.note(9)]),
  'the root beside a checkpoint is changed': async (a) =>
    a.run(['UPDATE integrity.checkpoint SET root = $2 WHERE asset_id = $1 AND size = 12', Buffer.alloc(32)]),
  'a checkpoint of another asset takes the place of the newest': async (a) =>
    a.run(['UPDATE integrity.checkpoint SET note = $2 WHERE asset_id = $1 AND size = 12', await a.note(12, other)]),
  'a checkpoint is signed by a stranger': async (a) => a.resign(),
  'a checkpoint over entries that are not there is added': async (a) =>
    a.run([
      "INSERT INTO integrity.checkpoint (asset_id, size, root, range, note) VALUES ($1, 99, $2, '{}', $3)",
      Buffer.alloc(32),
      signCheckpoint({ origin: a.origin, size: 99, root: Buffer.alloc(32) }, a.key),
    ]),
  'the key is swapped': async (a) => a.swapKey(),
  'the key is deleted': async (a) => a.run(["DELETE FROM integrity.signing_key WHERE name LIKE '%' || $1::text"]),
  'a key is added that nobody handed over to': async (a) =>
    a.run([
      "INSERT INTO integrity.signing_key (name, key_id, public_key) SELECT name, 'ffffffff', sha256(public_key) FROM integrity.signing_key WHERE name LIKE '%' || $1::text",
    ]),
  'the key is said to have ended before it signed': async (a) =>
    a.run(["UPDATE integrity.signing_key SET valid_to = valid_from WHERE name LIKE '%' || $1::text"]),
  'the head counts less': async (a) => a.run([`${HEAD} size = 11 WHERE asset_id = $1`]),
  'the head has another hash': async (a) => a.run([`${HEAD} last_hash = $2 WHERE asset_id = $1`, Buffer.alloc(32)]),
  'the head has another range': async (a) => a.run([`${HEAD} range = range || range[1] WHERE asset_id = $1`]),
  'the head is deleted': async (a) => a.run(['DELETE FROM integrity.ledger_head WHERE asset_id = $1']),
  'the log gets another name': async (a) => a.run([`${HEAD} origin = 'x/' || origin WHERE asset_id = $1`]),
  'the newest object is replaced by an old one': async (a) =>
    a.putObject('latest', await a.note(5)).then(() => a.removeObject(12)),
  'the newest object and its copy are replaced by old ones': async (a) => {
    await a.putObject('latest', await a.note(5));
    await a.putObject(12, await a.note(5));
  },
  'the object of the newest checkpoint is replaced': async (a) => a.putObject(12, await a.note(9)),
  'the newest object is of another asset': async (a) => a.putObject('latest', await a.note(12, other)),
  'the newest object is signed by a stranger': async (a) =>
    a.putObject('latest', signCheckpoint({ origin: a.origin, size: 12, root: Buffer.alloc(32) }, a.key)),
  'the newest object is garbage': async (a) => a.putObject('latest', 'garbage'),
};

/** What takes evidence away instead of changing it: nothing verifies, but nothing is frozen. */
const LOSSES: Record<string, (attacker: Attacker) => Promise<void>> = {
  'the newest object is removed': async (a) => a.removeObject('latest'),
  'the object of the newest checkpoint is removed': async (a) => a.removeObject(12),
  'all objects are removed': async (a) => {
    for (const name of ['latest', 5, 9, 12]) await a.removeObject(name);
  },
};

const exported = (asset: string) =>
  verifyChain((sql, parameters) => place.dataSource.query(sql, parameters), asset, 12, { objects: place.objects });

describe('is found by the service, at night and at export', () => {
  it.each(Object.entries(ATTACKS))('that %s', async (name, attack) => {
    const asset = await place.filled(service);
    expect(await service.verify(asset)).toMatchObject({ isVerified: true, problem: undefined, size: 12 });
    await attack(new Attacker(place, asset));
    // An export checks the two newest checkpoints; with the newest one right, an older one can't say anything else.
    if (!name.startsWith('an earlier')) expect((await exported(asset)).isVerified).toBe(false);
    const found = await service.verify(asset);
    expect(found).toMatchObject({ isVerified: false });
    expect(found.problem).not.toBeUndefined();
    if (name.startsWith('the newest object is replaced by an old one')) return;
    expect(found.isBroken).toBe(true);
    if (name === 'everything is deleted') return;
    await expect(service.append(asset, detectionEntries(1))).rejects.toThrow(LedgerBrokenError);
    expect(await service.checkpoints.ensure(asset)).toBeUndefined();
  });

  it.each(Object.entries(LOSSES))('that %s', async (_, attack) => {
    const asset = await place.filled(service);
    await attack(new Attacker(place, asset));
    expect((await exported(asset)).isVerified).toBe(false);
    expect(await service.verify(asset)).toMatchObject({ isVerified: false, isBroken: false });
    await service.append(asset, detectionEntries(1));
  });

  it('that a key took over which the old one did not sign for', async () => {
    const asset = await place.filled(service);
    const attacker = new Attacker(place, asset);
    await service.append(asset, [
      {
        kind: 'key_rotation',
        payload: { old_key: 'x', new_key: 'y', signature_old: '', signature_new: '', by: 'stranger' },
      },
    ]);
    await attacker.run([
      "INSERT INTO integrity.signing_key (name, key_id, public_key) SELECT name, 'ffffffff', sha256(public_key) FROM integrity.signing_key WHERE name LIKE '%' || $1::text",
    ]);
    expect(await service.verify(asset)).toMatchObject({ isVerified: false, isBroken: true });
  });
});

it('a thousand verifications of random ledgers, with rotations, rollbacks and two processes, raise no alarm', async () => {
  let verified = 0;
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ append: fc.integer({ min: 1, max: 9 }) }) },
    { weight: 3, arbitrary: fc.constant('sign' as const) },
    { weight: 1, arbitrary: fc.constant('rotate' as const) },
    { weight: 1, arbitrary: fc.constant('both' as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 10 }), async (steps) => {
      const asset = randomUUID();
      let key = newSigningKey();
      let [one, two] = [place.service({ INTEGRITY_SIGNING_KEY: key }), place.service({ INTEGRITY_SIGNING_KEY: key })];
      for (const what of steps) {
        if (what === 'rotate') {
          const settings = { INTEGRITY_SIGNING_KEY: newSigningKey(), INTEGRITY_SIGNING_KEY_PREVIOUS: key };
          key = settings.INTEGRITY_SIGNING_KEY;
          await one.checkpoints.ensure(asset);
          [one, two] = [place.service(settings), place.service(settings)];
        } else if (what === 'both') {
          await Promise.all([one.append(asset, detectionEntries(2)), two.append(asset, detectionEntries(3))]);
          await Promise.all([one.checkpoints.ensure(asset), two.checkpoints.ensure(asset)]);
        } else if (what === 'sign') {
          await two.checkpoints.ensure(asset);
        } else {
          await one.append(asset, detectionEntries(what.append));
        }
        const chain = await two.verify(asset);
        expect(chain.isBroken).toBe(false);
        if (chain.checkpoint !== undefined && chain.checkpoint.size > 0)
          expect(chain.findings.filter(({ text }) => !text.includes('not the one that is configured'))).toEqual([]);
        verified++;
      }
    }),
    { numRuns: 100 },
  );
  expect(verified).toBe(1_000);
}, 180_000);
