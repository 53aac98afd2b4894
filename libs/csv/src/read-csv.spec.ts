import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { InputFileError } from './csv-error.js';
import { type CsvRecord, readCsv } from './read-csv.js';
import { MAX_RECORD_BYTES } from './record-scanner.js';

type Outcome = { records: CsvRecord[] } | { code: string; message: string; line?: number; fileLine?: number };

async function readAll(source: AsyncIterable<Buffer>): Promise<CsvRecord[]> {
  const records: CsvRecord[] = [];
  for await (const batch of readCsv(source)) records.push(...batch.records);
  return records;
}

async function outcome(chunks: readonly (Buffer | string)[]): Promise<Outcome> {
  try {
    return { records: await readAll(Readable.from(chunks.map((chunk) => Buffer.from(chunk as string)))) };
  } catch (error) {
    if (!(error instanceof InputFileError)) throw error;
    const { code, message, line, fileLine } = error;
    return { code, message, line, fileLine };
  }
}

async function cells(file: string | Buffer): Promise<readonly (readonly string[])[]> {
  const result = await outcome([file]);
  if (!('records' in result)) throw new Error(result.message);
  return result.records.map((record) => record.cells);
}

const bytes = (...values: number[]): Buffer => Buffer.from(values);
const join = (...parts: (string | Buffer)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part as string)));

/** What each input gives, cells joined by `|`; each is read again cut at every byte. */
const golden: [name: string, file: string | Buffer, expected: string[]][] = [
  ['nothing', '', []],
  ['only comments and empty lines', '# a\n\n\r\n#b', []],
  ['LF', 'a,b\n1,2\n', ['a|b', '1|2']],
  ['CRLF', 'a,b\r\n1,2\r\n', ['a|b', '1|2']],
  ['no final newline', 'a,b\n1,2', ['a|b', '1|2']],
  ['mixed line ends', 'a\r\nb\nc\r\nd', ['a', 'b', 'c', 'd']],
  ['a byte-order mark', '\ufeffdate,cost\n1,2\n', ['date|cost', '1|2']],
  ['a byte-order mark before a quoted header', '\ufeff"date",cost\n', ['date|cost']],
  ['a byte-order mark before a comment', '\ufeff# x\na,b\n', ['a|b']],
  ['a byte-order mark inside the file, which is data', 'a\n\ufeffb\n', ['a', '\ufeffb']],
  ['a byte-order mark alone', '\ufeff', []],
  ['comments with any quotes', '# 5" pipe\na\n#"\nb\n# it\'s "\n', ['a', 'b']],
  ['a # that does not begin a record', 'a,#b\n #c,d\n', ['a|#b', ' #c|d']],
  ['a # in a quoted cell', '"#a",b\n"x\n#y",z\n', ['#a|b', 'x\n#y|z']],
  ['empty lines', '\n\na\n\n\r\n\nb\n\n', ['a', 'b']],
  ['an empty line in a quoted cell', '"a\n\nb"\n', ['a\n\nb']],
  ['a record of empty cells', 'a,b,c,d\n,,,\n', ['a|b|c|d', '|||']],
  ['a line of spaces, which is a record', 'a,b\n  \n', ['a|b', '  ']],
  ['short and long records', 'a,b\n1\n1,2,3,\n', ['a|b', '1', '1|2|3|']],
  ['duplicate and dangerous names', 'a,a,__proto__,constructor\n1,2,3,4\n', ['a|a|__proto__|constructor', '1|2|3|4']],
  ['quoted cells', '"a","b ""c""","","d,e"\r\n', ['a|b "c"||d,e']],
  ['cells of quotes', '"""","""""",""""""""\n', ['"|""|"""']],
  ['quotes beside separators', '"a"",""b",",",""","\n', ['a","b|,|",']],
  ['an only cell that is empty', '""\n"x"\n""', ['', 'x', '']],
  ['a carriage return in a quoted cell', '"a\rb\r\nc",d\r\n', ['a\rb\r\nc|d']],
  ['semicolons', 'a;b\n"1;2";3,5\n', ['a|b', '1;2|3,5']],
  ['quoted commas between semicolons', '"a";"b,c"\n1;2\n', ['a|b,c', '1|2']],
  ['TAB', 'a\tb\n1\t2;3\n', ['a|b', '1|2;3']],
  ['more TAB than semicolons', 'a\tb\tc;d\n', ['a|b|c;d']],
  ['a comma wins over more semicolons', 'a;b;c,d\n', ['a;b;c|d']],
  ['commas in comments do not count', '# a,b\nc;d\n', ['c|d']],
  ['letters of two to four bytes', 'ä,€,😀\n"ä€😀",# x\n', ['ä|€|😀', 'ä€😀|# x']],
];

/** [name, file, code, line, fileLine, part of the message] */
const faulty: [string, string | Buffer, string, number | undefined, number | undefined, RegExp][] = [
  ['a stray quote', '# c\n\na,b\n5" pipe,x\nc,d\n', 'malformed_csv', 2, 4, /not quoted/],
  ['a stray quote in the first record', 'a,5" pipe\n', 'malformed_csv', 1, 1, /not quoted/],
  ['a space before a quote', 'a\n1, "x"\n', 'malformed_csv', 2, 2, /not quoted/],
  ['text behind a closing quote', 'a\n"x\ny"z,1\n', 'malformed_csv', 2, 3, /record 2, which begins on line 2\.$/],
  ['another separator behind a closing quote', '"a";"b",c\n', 'malformed_csv', 1, 1, /closing quote/],
  ['a quote never closed', 'a,b\n1,2\n\n3,"x\ny,z\n', 'malformed_csv', 3, 4, /never closed/],
  ['a quote as last byte', 'a\n"', 'malformed_csv', 2, 2, /never closed/],
  ['a lone carriage return', 'a,b\rc,d\r', 'malformed_csv', 1, 1, /carriage return/],
  ['a carriage return as last byte', 'a\nb\r', 'malformed_csv', 2, 2, /carriage return/],
  ['carriage return twice', 'a\nb\r\r\nc\n', 'malformed_csv', 2, 2, /carriage return/],
  ['NUL', 'a\nb\0\n', 'invalid_encoding', undefined, 2, /NUL/],
  ['UTF-16 without a mark', Buffer.from('date\n', 'utf16le'), 'invalid_encoding', undefined, 1, /NUL/],
  ['UTF-16 LE', join(bytes(0xff, 0xfe), Buffer.from('date', 'utf16le')), 'invalid_encoding', undefined, 1, /UTF-16/],
  ['UTF-16 BE', join(bytes(0xfe, 0xff), bytes(0, 0x61)), 'invalid_encoding', undefined, 1, /UTF-16/],
  [
    'Latin-1',
    join('a\nb\n\n"x\n', bytes(0xe4), 'y"\n'),
    'invalid_encoding',
    undefined,
    5,
    /not valid UTF-8 \(line 5\)/,
  ],
  ['a bad byte in a comment', join('a\n# ', bytes(0xe4, 0x28), '\nb\n'), 'invalid_encoding', undefined, 2, /UTF-8/],
  ['a character cut by the end', join('a\n', bytes(0xf0, 0x9f, 0x98)), 'invalid_encoding', undefined, 2, /UTF-8/],
  ['an encoded surrogate', join('a\n', bytes(0xed, 0xa0, 0x80), '\n'), 'invalid_encoding', undefined, 2, /UTF-8/],
  ['an overlong character', join('a', bytes(0xc0, 0xaf)), 'invalid_encoding', undefined, 1, /UTF-8/],
  ['a bad byte behind a stray quote', join('a\nb"\n', bytes(0xff)), 'malformed_csv', 2, 2, /not quoted/],
  ['a bad byte before a stray quote', join('a\n', bytes(0xff), 'b"\n'), 'invalid_encoding', undefined, 2, /UTF-8/],
  ['NUL before a bad byte', join('a\0', bytes(0xff)), 'invalid_encoding', undefined, 1, /NUL/],
];

describe('readCsv', () => {
  it.each(golden)('reads %s, wherever it is cut', async (_name, file, expected) => {
    const whole = Buffer.from(file as string);
    const result = await outcome([whole]);
    expect('records' in result ? result.records.map((record) => record.cells.join('|')) : result).toEqual(expected);
    for (let at = 0; at <= whole.length; at++) {
      expect(await outcome([whole.subarray(0, at), whole.subarray(at)])).toEqual(result);
    }
  });

  it.each(faulty)('refuses %s, wherever it is cut', async (_name, file, code, line, fileLine, message) => {
    const whole = Buffer.from(file as string);
    const result = await outcome([whole]);
    expect(result).toEqual({ code, line, fileLine, message: expect.stringMatching(message) });
    for (let at = 0; at <= whole.length; at++) {
      expect(await outcome([whole.subarray(0, at), whole.subarray(at)])).toEqual(result);
    }
  });

  it('counts records and physical lines separately', async () => {
    const file = '\ufeff# c\n\nh\r\n"a\nb\r\nc"\n#\n\r\n,\nlast';
    const records = await readAll(Readable.from([Buffer.from(file)]));
    expect(records).toEqual([
      { line: 1, fileLine: 3, cells: ['h'] },
      { line: 2, fileLine: 4, cells: ['a\nb\r\nc'] },
      { line: 3, fileLine: 9, cells: ['', ''] },
      { line: 4, fileLine: 10, cells: ['last'] },
    ]);
  });

  it('reads a record of exactly the cap and refuses one byte more', async () => {
    const full = 'x'.repeat(MAX_RECORD_BYTES);
    for (const end of ['', '\n', '\r\n']) expect(await cells(`a\n${full}${end}`)).toEqual([['a'], [full]]);
    const quoted = `"${'y'.repeat(MAX_RECORD_BYTES - 2)}"`;
    expect(await cells(`a\n${quoted}\r\n`)).toEqual([['a'], [quoted.slice(1, -1)]]);
    for (const end of ['', '\n', '\r\n']) {
      expect(await outcome([`a\n\n${full}x${end}`])).toMatchObject({ code: 'malformed_csv', line: 2, fileLine: 3 });
    }
    expect(await outcome([`${full}x`])).toMatchObject({ code: 'malformed_csv', line: 1, fileLine: 1 });
  });

  it('reads a comment of any length', async () => {
    expect(await cells(`#${'"x'.repeat(200_000)}\na\n#${'y'.repeat(200_000)}`)).toEqual([['a']]);
  });

  it('refuses a quote that is never closed at once, not after the 64 MB behind it', async () => {
    let taken = 0;
    // eslint-disable-next-line @typescript-eslint/require-await -- a source that always has data
    async function* source(): AsyncGenerator<Buffer> {
      yield Buffer.from('a,b\n1,"x\n');
      for (; taken < 1024; taken++) yield Buffer.alloc(65_536, 'text,of,the,file\n');
    }
    await expect(readAll(source())).rejects.toMatchObject({ code: 'malformed_csv', line: 2, fileLine: 2 });
    expect(taken).toBeLessThan(4);
  });

  it('reads chunks of one byte and of many records alike', async () => {
    const file = Buffer.from('k,"v ""1"", ä"\n# c\n\n'.repeat(3000));
    const whole = await outcome([file]);
    expect('records' in whole && whole.records.length).toBe(3000);
    expect(await outcome(Array.from(file, (byte) => bytes(byte)))).toEqual(whole);
  });

  it('gives many batches for one big chunk, leaves the chunk as it was, and lets timers run', async () => {
    const chunk = Buffer.from('1,"a ""b""",ä\n'.repeat(200_000));
    const before = Buffer.from(chunk);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    let batches = 0;
    let last = 0;
    let count = 0;
    for await (const batch of readCsv(Readable.from([chunk]))) {
      batches++;
      count += batch.records.length;
      expect(batch.bytesRead).toBeGreaterThanOrEqual(last);
      last = batch.bytesRead;
    }
    clearInterval(timer);
    expect(count).toBe(200_000);
    expect(last).toBe(chunk.length);
    expect(batches).toBeGreaterThan(chunk.length / 65_536);
    expect(ticks).toBeGreaterThan(5);
    expect(chunk.equals(before)).toBe(true);
  });

  it('keeps its memory flat', async () => {
    const chunk = Buffer.from('2024-01-07,google_ads,src,campaign name,12.50,USD,99.10\n'.repeat(20_000));
    // eslint-disable-next-line @typescript-eslint/require-await -- a source that always has data
    async function* source(): AsyncGenerator<Buffer> {
      for (let index = 0; index < 24; index++) yield chunk;
    }
    let peak = 0;
    const { arrayBuffers } = process.memoryUsage();
    for await (const batch of readCsv(source())) {
      expect(batch.records.length).toBeLessThan(5000);
      peak = Math.max(peak, process.memoryUsage().arrayBuffers - arrayBuffers);
    }
    expect(peak).toBeLessThan(4_000_000);
  });

  it('fails with the error of its source, and when the source dies without one', async () => {
    for (const error of [new Error('gone'), undefined]) {
      const source = new PassThrough();
      source.write('a,b\n1,2\n');
      setImmediate(() => source.destroy(error));
      await expect(readAll(source)).rejects.toThrow(error?.message ?? /premature close/i);
    }
  });

  it('destroys its source when the reader stops early or the file is bad', async () => {
    const line = 'a,b\n'.repeat(10_000);
    const stopped = Readable.from([Buffer.from(line), Buffer.from(line)]);
    for await (const batch of readCsv(stopped)) if (batch.records.length > 0) break;
    expect(stopped.destroyed).toBe(true);
    const bad = Readable.from([Buffer.from(`x"\n${line}`), Buffer.from(line)]);
    await expect(readAll(bad)).rejects.toBeInstanceOf(InputFileError);
    expect(bad.destroyed).toBe(true);
  });
});
