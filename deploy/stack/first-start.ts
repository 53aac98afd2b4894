import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

import { PERMISSIONS } from '#contracts/permissions.js';
import { builtApp } from './services.js';

/** The same members as the file of the embedded mode. */
export interface Credentials {
  base_url: string;
  asset_id: string;
  token: string;
  database_url: string;
}

/**
 * Runs the command line of the project against the infrastructure.
 *
 * @returns its standard output. @throws Error with its one sentence.
 */
export async function tallyport(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [builtApp('cli'), ...args], {
      env: { ...process.env, ...env },
    });
    return stdout;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Error(`tallyport ${args.join(' ')} failed: ${stderr?.trim() ?? String(error)}`, { cause: error });
  }
}

/**
 * Makes an asset with a token that may do everything, at the first start; later the file is only brought up to date,
 * since the database's port changes.
 */
export async function ensureCredentials(
  file: string,
  baseUrl: string,
  env: NodeJS.ProcessEnv & { DATABASE_URL: string },
): Promise<Credentials> {
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Credentials) : await makeDemoShop(env);
  const credentials: Credentials = {
    base_url: baseUrl,
    asset_id: known.asset_id,
    token: known.token,
    database_url: env.DATABASE_URL,
  };
  writeFileSync(file, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  return credentials;
}

async function makeDemoShop(env: NodeJS.ProcessEnv): Promise<Pick<Credentials, 'asset_id' | 'token'>> {
  const make = async <T>(args: readonly string[]) => JSON.parse(await tallyport([...args, '--json'], env)) as T;
  const asset = ['--name', 'Demo Shop', '--timezone', 'UTC', '--currency', 'USD'];
  const { asset_id } = await make<{ asset_id: string }>(['asset', 'create', ...asset]);
  const principal = ['--principal', 'demo'];
  await make(['member', 'add', '--asset', asset_id, ...principal, '--permissions', PERMISSIONS.join(',')]);
  const { token } = await make<{ token: string }>(['token', 'create', ...principal]);
  return { asset_id, token };
}
