import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { ConfigError } from '#runtime/config.js';
import { loggerFor } from '#runtime/logger.js';
import { LedgerConfig } from './ledger.config.js';
import { decodeBase64, privateKeyOfSeed, publicKeyBytes, verifierKey } from './signed-note.js';

/** The private keys of this process. They come from its settings and go nowhere. */
@Injectable()
export class SigningKeys {
  /** Undefined: nothing can be signed. */
  readonly current: KeyObject | undefined;
  /** Signs, beside the current one, that the current one takes over. */
  readonly previous: KeyObject | undefined;

  /** @throws ConfigError for a key that is set but none */
  constructor(@Inject(LedgerConfig) config: LedgerConfig) {
    this.current = configured(config, 'INTEGRITY_SIGNING_KEY');
    this.previous = configured(config, 'INTEGRITY_SIGNING_KEY_PREVIOUS');
  }
}

function configured(
  config: LedgerConfig,
  name: 'INTEGRITY_SIGNING_KEY' | 'INTEGRITY_SIGNING_KEY_PREVIOUS',
): KeyObject | undefined {
  if (config[name] !== '') return parsePrivateKey(config[name], name);
  const path = config[`${name}_FILE`];
  if (path === '') return undefined;
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    // As without a key: detection goes on, and nothing is signed.
    loggerFor('ledger').error({ err: error }, `the file of ${name}_FILE can not be read`);
    return undefined;
  }
  return parsePrivateKey(text, `${name}_FILE`);
}

/**
 * Reads PKCS#8 PEM, also with `\n` for its line breaks, or `PRIVATE+KEY+<name>+<key id>+<base64>` of C2SP signed-note.
 *
 * @param setting is named in errors; the text never is
 * @throws ConfigError when it is no Ed25519 key
 */
export function parsePrivateKey(text: string, setting: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    const trimmed = text.trim();
    key = trimmed.startsWith('PRIVATE+KEY+') ? noteKey(trimmed) : createPrivateKey(trimmed.replaceAll('\\n', '\n'));
  } catch {
    key = undefined;
  }
  if (key?.asymmetricKeyType !== 'ed25519')
    throw new ConfigError(`Wrong configuration: ${setting} must be an Ed25519 key, as PKCS#8 PEM or as PRIVATE+KEY+….`);
  return key;
}

/** @throws when it is none, or its id is not that of its name and key */
function noteKey(text: string): KeyObject | undefined {
  const [, name = '', id, encoded = ''] = /^PRIVATE\+KEY\+([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(text) ?? [];
  const bytes = decodeBase64(encoded);
  if (bytes?.[0] !== 1) return undefined;
  const key = privateKeyOfSeed(bytes.subarray(1));
  return verifierKey(name, publicKeyBytes(key)).id === id ? key : undefined;
}
