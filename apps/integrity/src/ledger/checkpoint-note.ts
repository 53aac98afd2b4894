import type { KeyObject } from 'node:crypto';
import { HASH_BYTES } from './merkle.js';
import { decodeBase64, NoteFormatError, parseNote, signNote, type SignedNote } from './signed-note.js';

/** The state of a log: how many entries, and the root over them (C2SP tlog-checkpoint). */
export interface Checkpoint {
  origin: string;
  size: number;
  root: Buffer;
}

/** `<service>/integrity/<asset>`: the name of a log and of its keys. */
export function originOf(serviceName: string, assetId: string): string {
  return `${serviceName}/integrity/${assetId}`;
}

/** The text that is signed: origin, size, root in base64, a line each. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n`;
}

/** The key's name is the origin. */
export function signCheckpoint(checkpoint: Checkpoint, key: KeyObject): string {
  return signNote(checkpointText(checkpoint), checkpoint.origin, key);
}

/**
 * Reads a checkpoint; its signatures are still to be checked. Extension lines are refused: ours have none, and what they
 * say would be believed without being understood.
 *
 * @throws NoteFormatError
 */
export function parseCheckpoint(note: string): Checkpoint & { note: SignedNote } {
  const parsed = parseNote(note);
  const [origin = '', size = '', encoded = '', ...rest] = parsed.text.split('\n');
  const root = decodeBase64(encoded);
  if (origin === '' || !/^(0|[1-9]\d{0,15})$/.test(size) || root?.length !== HASH_BYTES || rest.join() !== '')
    throw new NoteFormatError('Not a checkpoint.');
  if (!Number.isSafeInteger(Number(size))) throw new NoteFormatError('The size of the checkpoint is too large.');
  return { origin, size: Number(size), root, note: parsed };
}
