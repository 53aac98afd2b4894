import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

/** Ed25519, the only signature type here. */
const ALGORITHM = 0x01;
const KEY_ID_BYTES = 4;
const SIGNATURE_BYTES = 64;
const MAX_NOTE_CHARACTERS = 1_000_000;
/** Of DER: what stands before the 32 bytes of a public key (SPKI) and of a private one (PKCS#8), RFC 8410. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A key that checks signatures, under its name. */
export interface VerifierKey {
  name: string;
  /** First 4 bytes of SHA-256(name ‖ 0x0A ‖ 0x01 ‖ public key), in hex. */
  id: string;
  /** 32 bytes. */
  publicKey: Buffer;
}

interface NoteSignature {
  name: string;
  id: string;
  signature: Buffer;
}

/** A text and who signed it; nothing of it is checked yet. */
export interface SignedNote {
  /** Ends with a line feed; this is what is signed. */
  text: string;
  signatures: NoteSignature[];
}

/** A note or key that is not of the format of C2SP signed-note. */
export class NoteFormatError extends Error {}

/** @throws NoteFormatError for a name that is empty or holds `+` or white space, or a key that is not of 32 bytes */
export function verifierKey(name: string, publicKey: Buffer): VerifierKey {
  if (!/^[^\s+]+$/u.test(name)) throw new NoteFormatError(`Not the name of a key: ${JSON.stringify(name)}.`);
  if (publicKey.length !== 32) throw new NoteFormatError('Not an Ed25519 public key.');
  const digest = createHash('sha256').update(`${name}\n`).update(Buffer.of(ALGORITHM)).update(publicKey).digest('hex');
  return { name, id: digest.slice(0, 2 * KEY_ID_BYTES), publicKey };
}

/** `<name>+<key id in hex>+<base64 of 0x01 ‖ public key>`. */
export function formatVerifierKey({ name, id, publicKey }: VerifierKey): string {
  return `${name}+${id}+${Buffer.concat([Buffer.of(ALGORITHM), publicKey]).toString('base64')}`;
}

/** @throws NoteFormatError also when the key id is not that of the name and key */
export function parseVerifierKey(vkey: string): VerifierKey {
  const [, name = '', id, encoded = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(vkey) ?? [];
  const bytes = decodeBase64(encoded);
  if (bytes?.[0] !== ALGORITHM) throw new NoteFormatError('Not a verifier key of Ed25519.');
  const key = verifierKey(name, bytes.subarray(1));
  if (key.id !== id) throw new NoteFormatError('The id of the verifier key is not that of its name and key.');
  return key;
}

/** The 32 bytes of the public half of an Ed25519 key. */
export function publicKeyBytes(key: KeyObject): Buffer {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI.length);
}

/** @throws NoteFormatError when the seed is not of 32 bytes */
export function privateKeyOfSeed(seed: Buffer): KeyObject {
  if (seed.length !== 32) throw new NoteFormatError('Not an Ed25519 private key.');
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
}

/** Signs bytes as they are. */
export function signBytes(bytes: Buffer, key: KeyObject): Buffer {
  return sign(null, bytes, key);
}

/** Whether `key` signed these bytes; false, not an error, for a key that is no point of the curve. */
export function signedBy(bytes: Buffer, signature: Buffer, { publicKey }: VerifierKey): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false;
  try {
    const key = createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' });
    return verify(null, bytes, key, signature);
  } catch {
    return false;
  }
}

/**
 * A note of one signature: the text, an empty line, and `— <name> <base64 of key id ‖ signature>`.
 *
 * @throws NoteFormatError for a text that does not end with a line feed or holds other control characters
 */
export function signNote(text: string, name: string, key: KeyObject): string {
  assertText(text);
  const { id } = verifierKey(name, publicKeyBytes(key));
  const signature = Buffer.concat([Buffer.from(id, 'hex'), signBytes(Buffer.from(text), key)]);
  return `${text}\n— ${name} ${signature.toString('base64')}\n`;
}

/** @throws NoteFormatError */
export function parseNote(note: string): SignedNote {
  if (note.length > MAX_NOTE_CHARACTERS) throw new NoteFormatError('The note is too long.');
  const split = note.lastIndexOf('\n\n');
  if (split < 0 || !note.endsWith('\n')) throw new NoteFormatError('Not a signed note.');
  const text = note.slice(0, split + 1);
  assertText(text);
  const lines = note.slice(split + 2, -1).split('\n');
  return { text, signatures: lines.map(parseSignature) };
}

/**
 * Whether one of the keys signed the note. Signatures of unknown keys do not matter; one of a known key that is wrong
 * spoils the note.
 *
 * @returns the first key whose signature stands on it, or undefined
 */
export function verifyNote({ text, signatures }: SignedNote, keys: readonly VerifierKey[]): VerifierKey | undefined {
  const bytes = Buffer.from(text);
  let found: VerifierKey | undefined;
  for (const { name, id, signature } of signatures) {
    const key = keys.find((one) => one.name === name && one.id === id);
    if (key === undefined) continue;
    if (!signedBy(bytes, signature, key)) return undefined;
    found ??= key;
  }
  return found;
}

function parseSignature(line: string): NoteSignature {
  const [, name = '', encoded = ''] = /^— ([^\s+]+) (\S+)$/u.exec(line) ?? [];
  const bytes = decodeBase64(encoded);
  if (name === '' || bytes === undefined || bytes.length <= KEY_ID_BYTES)
    throw new NoteFormatError('Not a signature line.');
  return { name, id: bytes.toString('hex', 0, KEY_ID_BYTES), signature: bytes.subarray(KEY_ID_BYTES) };
}

function assertText(text: string): void {
  // eslint-disable-next-line no-control-regex -- they are what the format forbids
  if (!text.endsWith('\n') || /[\u0000-\u0009\u000b-\u001f]|\p{Surrogate}/u.test(text))
    throw new NoteFormatError('Not the text of a note.');
}

/** Standard base64 with its padding, or undefined: Buffer itself takes anything. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
