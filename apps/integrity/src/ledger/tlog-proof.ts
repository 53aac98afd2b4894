import { HASH_BYTES } from './merkle.js';
import { decodeBase64, NoteFormatError } from './signed-note.js';

const HEADER = 'c2sp.org/tlog-proof@v1';

/** That an entry stands in a log, in one file that needs nothing else but the entry and the key (C2SP tlog-proof). */
export interface TlogProof {
  /** Zero-based: seq − 1. */
  index: number;
  path: Buffer[];
  /** The signed note. */
  checkpoint: string;
}

/** The content of a `.tlog-proof` file. */
export function formatTlogProof({ index, path, checkpoint }: TlogProof): string {
  const hashes = path.map((hash) => `${hash.toString('base64')}\n`).join('');
  return `${HEADER}\nindex ${index}\n${hashes}\n${checkpoint}`;
}

/** @throws NoteFormatError; an `extra` line, which ours do not have, is refused too */
export function parseTlogProof(text: string): TlogProof {
  const split = text.indexOf('\n\n');
  const [header, numbered = '', ...encoded] = text.slice(0, Math.max(split, 0)).split('\n');
  const [, digits] = /^index (0|[1-9]\d{0,15})$/.exec(numbered) ?? [];
  const path = encoded.map((hash) => {
    const bytes = decodeBase64(hash);
    if (bytes?.length !== HASH_BYTES) throw new NoteFormatError('Not a hash of a proof.');
    return bytes;
  });
  if (split < 0 || header !== HEADER || digits === undefined || !Number.isSafeInteger(Number(digits)))
    throw new NoteFormatError('Not a tlog-proof.');
  return { index: Number(digits), path, checkpoint: text.slice(split + 2) };
}
