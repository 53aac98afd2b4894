import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PresignOptions } from './object-store.js';
import { temporaryPath } from './temporary-file.js';

const SECRET_FORM = /^[0-9a-f]{64}$/;

/** What a link grants: one object, under one name and type, until `expires` (seconds since 1970). */
export interface DownloadGrant {
  key: string;
  expires: number;
  name: string;
  type: string;
}

/** `<base>/files/<key>?expires=…&name=…&type=…&signature=…`, signed with HMAC-SHA-256. */
export function downloadLink(baseUrl: string, secret: Buffer, key: string, options: PresignOptions): string {
  const expires = Math.floor(Date.now() / 1000) + options.expiresInSeconds;
  const grant = { key, expires, name: options.fileName, type: options.contentType };
  const query = new URLSearchParams({
    expires: String(expires),
    name: grant.name,
    type: grant.type,
    signature: signatureOf(secret, grant),
  });
  return `${baseUrl.replace(/\/+$/, '')}/files/${key}?${query.toString()}`;
}

/** Whether `signature` is ours for exactly this grant. Takes the same time for every wrong one. */
export function isSigned(secret: Buffer, grant: DownloadGrant, signature: string): boolean {
  const expected = Buffer.from(signatureOf(secret, grant));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The store's own secret, made on first use. Links of several processes over one directory agree. */
export async function linkSecret(root: string): Promise<Buffer> {
  const path = join(root, '.link-secret');
  const known = await readSecret(path);
  if (known !== undefined) return known;
  const draft = temporaryPath(join(root, '.tmp'));
  try {
    await writeFile(draft, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
    // Unlike a rename it fails when another process was first, and nobody ever reads half a secret.
    await link(draft, path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  const made = await readSecret(path);
  if (made === undefined) throw new Error(`${path} is not the secret of download links; remove it.`);
  return made;
}

async function readSecret(path: string): Promise<Buffer | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined || !SECRET_FORM.test(text)) return undefined;
  await chmod(path, 0o600);
  return Buffer.from(text, 'hex');
}

function signatureOf(secret: Buffer, { key, expires, name, type }: DownloadGrant): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([key, expires, name, type]))
    .digest('base64url');
}
