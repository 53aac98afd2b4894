import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { integrityData } from '../../../../test/support/integrity-data.js';
import { checkpointText, originOf, parseCheckpoint, signCheckpoint } from './checkpoint-note.js';
import { leafHash } from './merkle.js';
import {
  formatVerifierKey,
  NoteFormatError,
  parseNote,
  parseVerifierKey,
  publicKeyBytes,
  signNote,
  verifierKey,
  verifyNote,
} from './signed-note.js';
import { formatTlogProof, parseTlogProof } from './tlog-proof.js';

const { privateKey } = generateKeyPairSync('ed25519');
const NAME = originOf('tallyport', '0193f000-0000-7000-8000-000000000001');
const key = verifierKey(NAME, publicKeyBytes(privateKey));
const checkpoint = { origin: NAME, size: 7, root: leafHash('root') };
const note = signCheckpoint(checkpoint, privateKey);

const published = integrityData('signed-note-vector.json');
if (published !== undefined) {
  const vector = JSON.parse(published) as { vkey: string; note: string };

  it('verifies the published note of C2SP', () => {
    const signer = parseVerifierKey(vector.vkey);
    expect(formatVerifierKey(signer)).toBe(vector.vkey);
    expect(verifyNote(parseNote(vector.note), [signer])).toBe(signer);
    expect(verifyNote(parseNote(vector.note.replace('example message', 'example massage')), [signer])).toBeUndefined();
  });
}

describe('a signed note', () => {
  it('verifies with its key alone', () => {
    const other = verifierKey(NAME, publicKeyBytes(generateKeyPairSync('ed25519').privateKey));
    expect(verifyNote(parseNote(note), [other, key])).toBe(key);
    expect(verifyNote(parseNote(note), [other])).toBeUndefined();
    expect(verifyNote(parseNote(note), [{ ...other, id: key.id }])).toBeUndefined();
    expect(verifyNote(parseNote(note), [verifierKey('another/name', key.publicKey)])).toBeUndefined();
  });

  it('verifies beside signatures of unknown keys, and not beside a wrong one of its own', () => {
    const stranger = signNote('x\n', 'stranger', privateKey).split('\n').at(-2) ?? '';
    const wrong = signNote('x\n', NAME, privateKey).split('\n').at(-2) ?? '';
    expect(verifyNote(parseNote(`${note}${stranger}\n`), [key])).toBe(key);
    expect(verifyNote(parseNote(`${note}${wrong}\n`), [key])).toBeUndefined();
  });

  it('does not verify when any character is changed', () => {
    fc.assert(
      fc.property(fc.nat({ max: note.length - 1 }), fc.constantFrom('a', 'B', '\n', '+', ' '), (place, sign) => {
        const bent = note.slice(0, place) + sign + note.slice(place + 1);
        if (bent === note) return;
        let signer;
        try {
          signer = verifyNote(parseCheckpoint(bent).note, [key]);
        } catch (error) {
          expect(error).toBeInstanceOf(NoteFormatError);
        }
        expect(signer).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['no signature', 'text\n'],
    ['an empty signature list', 'text\n\n'],
    ['no last line feed', note.slice(0, -1)],
    ['a hyphen instead of a dash', note.replace('—', '-')],
    ['a carriage return', note.replace('\n', '\r\n')],
    ['loose base64', note.replace(/(.)=*\n$/, '\n')],
    ['a tab in the text', `a\tb\n\n— ${NAME} AAAAAAA=\n`],
  ])('is refused with %s', (_, text) => {
    expect(() => parseNote(text)).toThrow(NoteFormatError);
  });

  it.each(['', 'two words', 'a+b', 'a\nb'])('takes no key named %j', (name) => {
    expect(() => verifierKey(name, key.publicKey)).toThrow(NoteFormatError);
  });

  it.each([
    ['another id', formatVerifierKey({ ...key, id: '00000000' })],
    ['another algorithm', `${NAME}+${key.id}+${Buffer.concat([Buffer.of(2), key.publicKey]).toString('base64')}`],
    ['a short key', `${NAME}+${key.id}+AQID`],
    ['no parts', 'nonsense'],
  ])('takes no verifier key with %s', (_, vkey) => {
    expect(() => parseVerifierKey(vkey)).toThrow(NoteFormatError);
  });
});

describe('a checkpoint', () => {
  it('says what was signed', () => {
    expect(parseCheckpoint(note)).toMatchObject(checkpoint);
    expect(checkpointText(checkpoint)).toBe(`${NAME}\n7\n${checkpoint.root.toString('base64')}\n`);
  });

  const root = checkpoint.root.toString('base64');
  it.each([
    ['a leading zero', `${NAME}\n07\n${root}\n`],
    ['a negative size', `${NAME}\n-7\n${root}\n`],
    ['a size beyond what is exact', `${NAME}\n9007199254740993\n${root}\n`],
    ['a short root', `${NAME}\n7\nAAAA\n`],
    ['no origin', `\n7\n${root}\n`],
    ['an extension', `${NAME}\n7\n${root}\nmore\n`],
    ['two lines', `${NAME}\n7\n`],
  ])('is refused with %s', (_, text) => {
    expect(() => parseCheckpoint(signNote(text, NAME, privateKey))).toThrow(NoteFormatError);
  });
});

describe('a tlog-proof', () => {
  const proof = { index: 6, path: [leafHash('a'), leafHash('b')], checkpoint: note };

  it('is read as it was written', () => {
    const text = formatTlogProof(proof);
    expect(text.startsWith(`c2sp.org/tlog-proof@v1\nindex 6\n${leafHash('a').toString('base64')}\n`)).toBe(true);
    expect(parseTlogProof(text)).toEqual(proof);
    expect(parseTlogProof(formatTlogProof({ ...proof, path: [] }))).toEqual({ ...proof, path: [] });
  });

  it.each([
    ['another header', formatTlogProof(proof).replace('@v1', '@v2')],
    ['another index', formatTlogProof(proof).replace('index 6', 'index 06')],
    ['a short hash', formatTlogProof(proof).replace(leafHash('a').toString('base64'), 'AAAA')],
    ['no checkpoint', 'c2sp.org/tlog-proof@v1\nindex 6\n'],
  ])('is refused with %s', (_, text) => {
    expect(() => parseTlogProof(text)).toThrow(NoteFormatError);
  });
});
