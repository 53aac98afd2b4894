import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';

/** Name of the key that the embedded mode makes in its directory. */
export const SIGNING_KEY_FILE = 'signing-key.pem';

/** A new Ed25519 private key as PKCS#8 PEM. */
export function newSigningKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

/** Makes a file with a new key, readable by its owner alone, unless the file is there. */
export function ensureSigningKeyFile(path: string): void {
  try {
    writeFileSync(path, newSigningKey(), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
