import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InputFileError } from './csv-error.js';
import { RecordGuard } from './record-guard.js';
import { checkUtf8 } from './utf8.js';

/** Everything the guard hands out, taken after each chunk, or its error; `readCsv` itself gathers tiny chunks first. */
function guarded(chunks: readonly Buffer[]): unknown {
  const guard = new RecordGuard();
  const text: string[] = [];
  const fileLines: number[] = [];
  const take = (final: boolean): void => {
    const records = guard.take(final);
    text.push(records.bytes.toString());
    fileLines.push(...records.fileLines);
  };
  try {
    for (const chunk of chunks) {
      for (let at = 0; at < chunk.length;) {
        at += guard.fill(chunk, at);
        take(false);
      }
    }
    take(true);
    return { text: text.join(''), fileLines, separator: guard.separator };
  } catch (error) {
    if (!(error instanceof InputFileError)) throw error;
    return { code: error.code, message: error.message, line: error.line, fileLine: error.fileLine };
  }
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

const wellEncoded = [
  '\ufeff# c "\r\n\r\na;"b,\r\nä";c\r\n#x\n\n1;""";""";3\r\n;;\r\n# end',
  '"a""b"\t"c\n\n"\t\n\r\n#\r\n"#\r"\t1\n2',
  'a,b\r\n1,2\r\r\n',
  'a,b\n"x\ny"z\n',
  'a,b\n"x\n\ny,z',
  '"a";"b",c\n',
  '# ä\n5" pipe\n',
  '\r\n\r\na\r',
];
const badlyEncoded = [
  '\xef\xbb',
  '\xef\xbbx',
  '\xff\xfea\0',
  '\xfe\xff\0a',
  '#\xe4(\na',
  'a\n"\xf0\x9f\x98',
  'a"\n\xff',
  'a\r\xff',
  '"a"\xe2\x82\n',
  'a\0\xff',
];
const files: Buffer[] = [...wellEncoded.map((text) => Buffer.from(text)), ...badlyEncoded.map(latin1)];

describe('RecordGuard', () => {
  it.each(files.map((file): [string, Buffer] => [file.toString(), file]))(
    'hands out the same of %j wherever it is cut',
    (_name, file) => {
      const whole = guarded([file]);
      for (let at = 0; at <= file.length; at++)
        expect(guarded([file.subarray(0, at), file.subarray(at)])).toEqual(whole);
      expect(guarded(Array.from(file, (byte) => Buffer.from([byte])))).toEqual(whole);
    },
  );

  it('hands out the same of any bytes wherever they are cut', () => {
    const piece = fc.constantFrom(...'""",;\t\n\n\r#aä😀'.split(''), '\r\n', '\r\n', '""', '"\n', '\ufeff');
    const bad = fc.constantFrom('\xff', '\xe4', '\xe2\x82', '\0', '\xed\xa0\x80', '\xf0\x9f').map(latin1);
    const bytes = fc.oneof(
      { arbitrary: piece.map((text) => Buffer.from(text)), weight: 40 },
      { arbitrary: bad, weight: 1 },
    );
    const file = fc.array(bytes, { maxLength: 40 }).map((parts) => Buffer.concat(parts));
    fc.assert(
      fc.property(file, fc.array(fc.nat(60), { maxLength: 5 }), (content, cuts) => {
        const borders = [0, ...cuts.map((at) => Math.min(at, content.length)).sort((a, b) => a - b), content.length];
        const chunks = borders.slice(1).map((to, index) => content.subarray(borders[index], to));
        expect(guarded(chunks)).toEqual(guarded([content]));
      }),
      { numRuns: 5000 },
    );
  });
});

describe('checkUtf8', () => {
  it('accepts what TextDecoder accepts, and points to the start of the bad character', () => {
    const byte = fc.constantFrom(
      0x61,
      0x80,
      0xbf,
      0xc0,
      0xc3,
      0xa4,
      0xe0,
      0xe2,
      0x82,
      0xac,
      0xed,
      0xa0,
      0xf0,
      0x9f,
      0x90,
      0xf4,
      0xf5,
      0xff,
    );
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 8 }), (values) => {
        const bytes = Buffer.from(values);
        const checked = checkUtf8(bytes, 0, bytes.length, true, false);
        const isGood = (part: Buffer): boolean => {
          try {
            return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(part).length >= 0;
          } catch {
            return false;
          }
        };
        expect(checked.fault === undefined).toBe(isGood(bytes));
        expect(isGood(bytes.subarray(0, checked.validTo))).toBe(true);
        for (let more = 1; more <= 4 && checked.validTo + more <= bytes.length; more++) {
          if (checked.fault !== undefined) expect(isGood(bytes.subarray(0, checked.validTo + more))).toBe(false);
        }
      }),
      { numRuns: 5000 },
    );
  });
});
