import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { validate } from 'uuid';
import type { DataSource } from 'typeorm';
import { LedgerConfig } from '#apps/integrity/src/ledger/ledger.config.js';
import { keysOfLog } from '#apps/integrity/src/ledger/log-keys.js';
import { formatVerifierKey } from '#apps/integrity/src/ledger/signed-note.js';
import { SigningKeys } from '#apps/integrity/src/ledger/signing-keys.js';
import { ensureSigningKeyFile, SIGNING_KEY_FILE } from '#runtime/signing-key-file.js';
import type { VerifiedChain } from '#apps/integrity/src/ledger/verify-chain.js';
import { verifyLedger } from '#apps/integrity/src/ledger/verify-ledger.js';
import { loadConfig } from '#runtime/config.js';
import { DirectoryStore } from '#storage/directory.store.js';
import type { ObjectStore } from '#storage/object-store.js';
import { S3Store } from '#storage/s3.store.js';
import { StorageConfig } from '#storage/storage.config.js';
import { CommandFailure, type Session } from './session.js';
import { table } from './table.js';
import { withDatabase } from './with-database.js';

export function addIntegrityCommands(tallyport: Command, session: Session): void {
  const group = tallyport.command('integrity').description('the evidence ledgers of invalid traffic, and their keys');

  session
    .command(group, 'verify-ledger', 'check a ledger from its first entry; exits with 1 when anything does not hold')
    .requiredOption('--asset <id>', 'whose ledger')
    .action(
      session.answer(async ({ asset }: { asset: string }) => {
        const chain = await withDatabase(session.env, (dataSource) => verify(dataSource, session.env, asset));
        if (!chain.isVerified) session.code = 1;
        return { json: report(chain), text: describe(chain) };
      }),
    );

  session
    .command(group, 'keys', 'show the public keys that sign the ledger of an asset, newest last')
    .requiredOption('--asset <id>', 'whose ledger')
    .action(
      session.answer(async ({ asset }: { asset: string }) => {
        const keys = await withDatabase(session.env, (dataSource) => publicKeys(dataSource, asset));
        const rows = keys.map(({ key, valid_from, valid_to }) => [key, valid_from, valid_to ?? 'now']);
        const text = rows.length === 0 ? 'Nothing is signed yet.' : table(['KEY', 'FROM', 'TO'], rows);
        return { json: { asset_id: asset, keys }, text };
      }),
    );

  session
    .command(group, 'create-key <file>', 'make a private key that signs checkpoints, in a file for its owner alone')
    .action(
      session.answer((file: string) => {
        const path = resolve(file);
        if (existsSync(path)) throw new CommandFailure(`${path} is there already, and is left as it is.`);
        ensureSigningKeyFile(path);
        const text = `A new private key is in ${path}. Set INTEGRITY_SIGNING_KEY_FILE to it and keep a copy elsewhere.`;
        return Promise.resolve({ json: { file: path }, text });
      }),
    );
}

async function verify(dataSource: DataSource, env: NodeJS.ProcessEnv, asset: string): Promise<VerifiedChain> {
  await assertAsset(dataSource, asset);
  const objects = objectStore(env);
  const keys = new SigningKeys(loadConfig(LedgerConfig, { INTEGRITY_SIGNING_KEY_FILE: keyFile(env), ...env }));
  try {
    const configured = [keys.current, keys.previous].filter((key) => key !== undefined);
    return await verifyLedger(dataSource, asset, { objects, configured });
  } finally {
    await objects.close();
  }
}

async function publicKeys(
  dataSource: DataSource,
  asset: string,
): Promise<{ key: string; valid_from: string; valid_to: string | null }[]> {
  await assertAsset(dataSource, asset);
  const [head] = await dataSource.query<{ origin: string }[]>(
    'SELECT origin FROM integrity.ledger_head WHERE asset_id = $1',
    [asset],
  );
  if (head === undefined) return [];
  const keys = await keysOfLog((sql, parameters) => dataSource.query(sql, parameters), head.origin);
  return keys.map((key) => ({
    key: formatVerifierKey(key),
    valid_from: key.validFrom.toISOString(),
    valid_to: key.validTo?.toISOString() ?? null,
  }));
}

async function assertAsset(dataSource: DataSource, asset: string): Promise<void> {
  const found = validate(asset)
    ? await dataSource.query<unknown[]>('SELECT FROM access.asset WHERE asset_id = $1', [asset])
    : [];
  if (found.length === 0) throw new CommandFailure(`There is no asset ${asset}.`);
}

/** That of the services; of the embedded mode when nothing is set. */
function objectStore(env: NodeJS.ProcessEnv): ObjectStore {
  const config = loadConfig(StorageConfig, {
    ...env,
    STORAGE_DIRECTORY: env['STORAGE_DIRECTORY'] || home(env, 'objects'),
  });
  return config.S3_ENDPOINT === '' ? new DirectoryStore(config) : new S3Store(config);
}

/** The key file of the embedded mode, or nothing. */
function keyFile(env: NodeJS.ProcessEnv): string {
  const path = home(env, SIGNING_KEY_FILE);
  return existsSync(path) ? path : '';
}

function home(env: NodeJS.ProcessEnv, name: string): string {
  return resolve(join(env['TALLYPORT_HOME'] || '.tallyport', name));
}

function report({ assetId, isVerified, isBroken, size, root, checkpoint, findings }: VerifiedChain): object {
  return {
    asset_id: assetId,
    verified: isVerified,
    broken: isBroken,
    entries: size,
    root: root.toString('hex'),
    checkpoint_size: checkpoint?.size ?? 0,
    findings: findings.map(({ text, seq, breaks }) => ({ finding: text, seq: seq ?? null, breaks })),
  };
}

function describe({ assetId, isVerified, isBroken, size, checkpoint, findings }: VerifiedChain): string {
  const verdict = isVerified ? 'is verified' : isBroken ? 'is BROKEN' : 'can not be verified now';
  const covered = `${size} entries, checkpoint of ${checkpoint?.size ?? 0}`;
  return [`The ledger of asset ${assetId} ${verdict}: ${covered}.`, ...findings.map(({ text }) => `- ${text}`)].join(
    '\n',
  );
}
