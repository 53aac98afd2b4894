import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CommandFailure } from '../session.js';

/** Where records are posted to, and as whom. */
export interface GatewayAccess {
  url: string;
  token: string;
  /** Undefined: the only one that the token sees. */
  assetId: string | undefined;
}

export interface AccessOptions {
  url?: string;
  token?: string;
  asset?: string;
}

/**
 * From options, else TALLYPORT_URL and TALLYPORT_TOKEN, else credentials.json in TALLYPORT_HOME. The token of the file
 * belongs to the address in the file: it is never sent to another one.
 *
 * @throws CommandFailure when the address or the token is nowhere to be found
 */
export function gatewayAccess({ url, token, asset }: AccessOptions, env: NodeJS.ProcessEnv): GatewayAccess {
  const file = resolve(join(env['TALLYPORT_HOME'] || '.tallyport', 'credentials.json'));
  const wantedUrl = url ?? filled(env['TALLYPORT_URL']);
  const wantedToken = token ?? filled(env['TALLYPORT_TOKEN']);
  const kept = wantedUrl === undefined || wantedToken === undefined ? readCredentials(file) : {};
  const base = wantedUrl ?? kept.base_url;
  if (base === undefined) throw missing('address of the gateway', '--url', 'TALLYPORT_URL', file);
  const isKept = origin(base) === origin(kept.base_url ?? '');
  const secret = wantedToken ?? (isKept ? kept.token : undefined);
  if (secret === undefined) throw missing(`token for ${base}`, '--token', 'TALLYPORT_TOKEN', file);
  if (origin(base) === undefined) throw new CommandFailure(`${base} is no address such as http://127.0.0.1:3000.`);
  return { url: base, token: secret, assetId: asset ?? (wantedToken === undefined ? kept.asset_id : undefined) };
}

interface Kept {
  base_url?: string;
  token?: string;
  asset_id?: string;
}

function readCredentials(file: string): Kept {
  let known: Record<string, unknown>;
  try {
    known = { ...(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new CommandFailure(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const texts = ['base_url', 'token', 'asset_id'].filter((name) => typeof known[name] === 'string');
  return Object.fromEntries(texts.map((name) => [name, known[name]]));
}

function origin(url: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed?.protocol === 'http:' || parsed?.protocol === 'https:' ? parsed.origin : undefined;
}

function filled(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function missing(what: string, option: string, variable: string, file: string): CommandFailure {
  return new CommandFailure(
    `There is no ${what}: give ${option} or ${variable}, or start a service that writes ${file}.`,
  );
}
