import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** `tp_<id>_<secret>`: the id finds the row, the secret proves it. 64 and 256 random bits. */
const FORM = /^tp_([a-z0-9]{16})_([A-Za-z0-9_-]{43})$/;

export interface NewToken {
  tokenId: string;
  /** Shown once; never stored. */
  token: string;
  secretSha256: Buffer;
}

export function newToken(): NewToken {
  const tokenId = randomBytes(8).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  return { tokenId, token: `tp_${tokenId}_${secret}`, secretSha256: sha256(secret) };
}

/** The parts of a token, or undefined for what can't be one. */
export function parseToken(token: string): { tokenId: string; secret: string } | undefined {
  const [, tokenId, secret] = FORM.exec(token) ?? [];
  return tokenId === undefined || secret === undefined ? undefined : { tokenId, secret };
}

export function secretMatches(secret: string, secretSha256: Buffer): boolean {
  return timingSafeEqual(sha256(secret), secretSha256);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
