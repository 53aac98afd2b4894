import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createDataSource } from '#database/data-source.js';
import { migrate } from '#database/migrate.js';
import { detectionEntries, detectionEntry, inTransaction } from '../../../../test/fixtures/ledger.js';
import { testDatabase, type TestDatabase } from '../../../../test/support/test-database.js';
import { EntryTooLargeError, genesisHash, Ledger, LedgerBrokenError, readHead } from './ledger.js';
import { merkleRoot, rangeRoot } from './merkle.js';
import type { EntryBody, NewEntry } from './payloads.js';
import { commit, commitmentOf, eraseExpiredSamples, storeSamples } from './samples.js';

interface Row {
  seq: string;
  kind: string;
  body: string;
  prev_hash: Buffer;
  entry_hash: Buffer;
}

let database: TestDatabase;
let dataSource: DataSource;
const ledger = new Ledger({ SERVICE_NAME: 'tallyport' });

beforeAll(async () => {
  database = await testDatabase();
  dataSource = await createDataSource({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: 10 }).initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const append = (assetId: string, entries: NewEntry[], at?: Date) =>
  inTransaction(dataSource, (client) => ledger.append(client, assetId, entries, at));
const stored = (assetId: string) =>
  dataSource.query<Row[]>('SELECT * FROM integrity.evidence_entry WHERE asset_id = $1 ORDER BY seq', [assetId]);
const headOf = (assetId: string) => readHead((sql, parameters) => dataSource.query(sql, parameters), assetId);

/** Asserts the whole of 7.1: bytes, hashes, links, head. */
async function expectWholeChain(assetId: string, size: number): Promise<Row[]> {
  const rows = await stored(assetId);
  expect(rows.map(({ seq }) => Number(seq))).toEqual(Array.from({ length: size }, (_, index) => index + 1));
  let prev = genesisHash(assetId);
  for (const row of rows) {
    const body = JSON.parse(row.body) as EntryBody;
    expect(body).toMatchObject({
      v: 1,
      asset: assetId,
      seq: Number(row.seq),
      prev: prev.toString('hex'),
      kind: row.kind,
    });
    expect(row.prev_hash).toEqual(prev);
    expect(row.entry_hash).toEqual(createHash('sha256').update('\0').update(row.body).digest());
    prev = row.entry_hash;
  }
  const head = await headOf(assetId);
  expect(head).toMatchObject({ size, lastHash: prev, brokenReason: null });
  expect(rangeRoot(head?.range ?? [])).toEqual(merkleRoot(rows.map(({ entry_hash }) => entry_hash)));
  return rows;
}

describe('append', () => {
  it('starts a log at its genesis and goes on where it ended', async () => {
    const asset = randomUUID();
    expect(await append(asset, [])).toEqual([]);
    expect(await headOf(asset)).toBeUndefined();
    const at = new Date('2026-09-30T21:59:59.007Z');
    const first = await append(asset, detectionEntries(3), at);
    const next = await append(asset, [detectionEntry(9)]);
    expect([...first, ...next].map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    const rows = await expectWholeChain(asset, 4);
    expect(rows.map(({ entry_hash }) => entry_hash)).toEqual([...first, ...next].map(({ hash }) => hash));
    expect(genesisHash(asset)).toEqual(createHash('sha256').update(`genesis:${asset}`).digest());
    expect(rows[0]?.body).toContain('"at":"2026-09-30T21:59:59.007Z","kind":"detection","payload":{"asn":24940,');
    expect(await headOf(asset)).toMatchObject({ origin: `tallyport/integrity/${asset}` });
  });

  it('keeps the name of a log when the service is renamed', async () => {
    const asset = randomUUID();
    await append(asset, detectionEntries(1));
    await inTransaction(dataSource, (client) =>
      new Ledger({ SERVICE_NAME: 'renamed' }).append(client, asset, detectionEntries(1)),
    );
    expect(await headOf(asset)).toMatchObject({ origin: `tallyport/integrity/${asset}`, size: 2 });
  });

  it('has no gap under eight writers, some of which roll back', async () => {
    const asset = randomUUID();
    let kept = 0;
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let round = 0; round < 12; round++) {
          const count = 1 + ((writer + round) % 4);
          const fails = round % 5 === writer % 5;
          await inTransaction(dataSource, async (client) => {
            await ledger.append(client, asset, detectionEntries(count, writer * 1_000 + round));
            if (fails) throw new Error('killed');
            kept += count;
          }).catch((error: unknown) => {
            expect(error).toEqual(new Error('killed'));
          });
        }
      }),
    );
    expect(kept).toBeGreaterThan(100);
    await expectWholeChain(asset, kept);
  });

  it('leaves nothing of a transaction whose connection is cut, and lets the next one in', async () => {
    const asset = randomUUID();
    await append(asset, detectionEntries(2));
    const cut = inTransaction(dataSource, async (client) => {
      await ledger.append(client, asset, detectionEntries(5));
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await dataSource.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
      await client.query('SELECT 1');
    });
    await expect(cut).rejects.toThrow();
    await append(asset, detectionEntries(1));
    await expectWholeChain(asset, 3);
  });

  it('writes a batch of many statements', async () => {
    const asset = randomUUID();
    await append(asset, detectionEntries(1_203));
    await expectWholeChain(asset, 1_203);
  });

  it('refuses a body without end, and what JSON can not say', async () => {
    const asset = randomUUID();
    const large: NewEntry = {
      kind: 'claim',
      payload: { export_id: 'x', evidence: ['f'.repeat(1_000_000)], by: 'anna' },
    };
    await expect(append(asset, [large])).rejects.toThrow(EntryTooLargeError);
    const garbled: NewEntry = { kind: 'claim', payload: { export_id: '\ud800', evidence: [], by: 'anna' } };
    await expect(append(asset, [garbled])).rejects.toThrow(TypeError);
    const odd: NewEntry = { kind: 'claim', payload: { export_id: 'NUL \0, ü, 🎉, "\\', evidence: [], by: '' } };
    await append(asset, [odd]);
    await expectWholeChain(asset, 1);
  });

  it('refuses a broken ledger', async () => {
    const asset = randomUUID();
    await append(asset, detectionEntries(1));
    await dataSource.query(
      "UPDATE integrity.ledger_head SET broken_at = now(), broken_reason = 'entry 1 was changed' WHERE asset_id = $1",
      [asset],
    );
    await expect(append(asset, detectionEntries(1))).rejects.toThrow(LedgerBrokenError);
    expect(await stored(asset)).toHaveLength(1);
  });
});

describe('the database', () => {
  const asset = randomUUID();
  let last: Row;
  beforeAll(async () => {
    await append(asset, detectionEntries(3));
    last = (await stored(asset))[2] as Row;
    await dataSource.query(
      "INSERT INTO integrity.checkpoint (asset_id, size, root, range, note) VALUES ($1, 3, $2, '{}', 'a note')",
      [asset, last.entry_hash],
    );
  });

  it.each([
    "UPDATE integrity.evidence_entry SET kind = 'verdict' WHERE asset_id = $1",
    'DELETE FROM integrity.evidence_entry WHERE asset_id = $1 AND seq = 3',
    "UPDATE integrity.checkpoint SET note = 'another' WHERE asset_id = $1",
    'DELETE FROM integrity.checkpoint WHERE asset_id = $1',
    'TRUNCATE integrity.evidence_entry',
    'TRUNCATE integrity.checkpoint',
  ])('refuses: %s', async (sql) => {
    await expect(dataSource.query(sql, sql.includes('$1') ? [asset] : [])).rejects.toMatchObject({ code: '42501' });
    await inTransaction(dataSource, async (client) => {
      await client.query("SET LOCAL session_replication_role = 'replica'");
      await client.query('SAVEPOINT before');
      await expect(client.query(sql, sql.includes('$1') ? [asset] : [])).rejects.toMatchObject({ code: '42501' });
      await client.query('ROLLBACK TO before');
    });
  });

  const hashOf = (body: string): Buffer => createHash('sha256').update('\0').update(body).digest();
  it.each([
    ['a gap', () => [5, 'x', last.entry_hash, hashOf('x')]],
    ['seq 0', () => [0, 'x', last.entry_hash, hashOf('x')]],
    ['a seq once more', () => [3, 'x', last.prev_hash, hashOf('x')]],
    ['another entry before it', () => [4, 'x', last.prev_hash, hashOf('x')]],
    ['a wrong hash', () => [4, 'x', last.entry_hash, hashOf('y')]],
    ['a hash without its prefix', () => [4, 'x', last.entry_hash, createHash('sha256').update('x').digest()]],
  ])('refuses an entry with %s', async (_, values) => {
    const sql = `INSERT INTO integrity.evidence_entry (asset_id, seq, kind, body, prev_hash, entry_hash)
                 VALUES ($1, $2, 'claim', $3, $4, $5)`;
    await expect(dataSource.query(sql, [asset, ...values()])).rejects.toMatchObject({
      code: expect.stringMatching(/^235(14|05)$/),
    });
  });

  it('takes the right to change from the role that migrates too, which needs no right to make roles', async () => {
    const role = `owner_${randomUUID().replaceAll('-', '')}`;
    await dataSource.query(`CREATE ROLE ${role} LOGIN NOSUPERUSER NOCREATEROLE PASSWORD 'x'`);
    await dataSource.query(`CREATE DATABASE ${role} OWNER ${role}`);
    const url = Object.assign(new URL(database.url), { username: role, password: 'x', pathname: `/${role}` }).href;
    const owned = await createDataSource({ DATABASE_URL: url, DATABASE_POOL_SIZE: 2 }).initialize();
    try {
      await migrate(owned);
      await inTransaction(owned, (client) => ledger.append(client, randomUUID(), detectionEntries(2)));
      for (const change of [
        'DELETE FROM integrity.evidence_entry',
        "UPDATE integrity.checkpoint SET note = ''",
        'TRUNCATE integrity.evidence_entry',
      ])
        await expect(owned.query(change)).rejects.toMatchObject({
          code: '42501',
          message: expect.stringContaining('permission denied'),
        });
    } finally {
      await owned.destroy();
      await dataSource.query(`DROP DATABASE ${role} WITH (FORCE)`);
      await dataSource.query(`DROP ROLE ${role}`);
    }
  });
});

describe('samples', () => {
  it('stand in entries as a commitment that takes salt and address to repeat', () => {
    const { commitment, salt, address } = commitmentOf('203.0.113.7');
    expect(salt).toHaveLength(16);
    expect(commitment).toBe(createHash('sha256').update(salt).update('203.0.113.7').digest('hex'));
    expect(commit(salt, address)).toBe(commitment);
    expect(commitmentOf('203.0.113.7').commitment).not.toBe(commitment);
  });

  it('go after their days, which the ledger notes; a broken ledger keeps none longer', async () => {
    const [asset, broken] = [randomUUID(), randomUUID()];
    const now = new Date('2026-09-30T00:00:00Z');
    for (const id of [asset, broken]) {
      await inTransaction(dataSource, async (client) => {
        const [entry] = await ledger.append(client, id, detectionEntries(1));
        if (entry === undefined) throw new Error('Nothing was appended.');
        const sample = (address: string) => ({ ...commitmentOf(address), entryHash: entry.hash });
        await storeSamples(
          client,
          id,
          [sample('203.0.113.7'), sample('2001:db8::7')],
          new Date('2026-09-29T00:00:00Z'),
        );
        await storeSamples(client, id, [sample('203.0.113.8')], new Date('2026-10-29T00:00:00Z'));
      });
    }
    await dataSource.query('UPDATE integrity.ledger_head SET broken_at = now() WHERE asset_id = $1', [broken]);
    const erase = () => eraseExpiredSamples(dataSource, ledger, now);
    expect([await erase(), await erase()]).toEqual([4, 0]);
    expect(await dataSource.query('SELECT DISTINCT ip FROM integrity.evidence_sample')).toEqual([
      { ip: '203.0.113.8' },
    ]);
    const [, erasure] = await expectWholeChain(asset, 2);
    expect(JSON.parse(erasure?.body ?? '')).toMatchObject({
      kind: 'erasure',
      payload: { samples: 2, before: '2026-09-30T00:00:00.000Z', by: 'retention' },
    });
    expect(await stored(broken)).toHaveLength(1);
  });
});
