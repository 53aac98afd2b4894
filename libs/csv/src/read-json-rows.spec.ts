import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InputFileError } from './csv-error.js';
import { MAX_ROW_CHARACTERS } from './json-rows-grammar.js';
import { type JsonRow, readJsonRows } from './read-json-rows.js';

type Outcome = { rows: JsonRow[] } | { code: string; message: string; line?: number };

async function outcome(chunks: readonly Buffer[]): Promise<Outcome> {
  const rows: JsonRow[] = [];
  try {
    for await (const batch of readJsonRows(Readable.from(chunks))) rows.push(...batch.rows);
    return { rows };
  } catch (error) {
    if (!(error instanceof InputFileError)) throw error;
    return { code: error.code, message: error.message, line: error.line };
  }
}

async function expectEqualCuts(body: Buffer, expected: Outcome): Promise<void> {
  for (let at = 0; at <= body.length; at++) {
    expect(await outcome([body.subarray(0, at), body.subarray(at)])).toEqual(expected);
  }
}

const rows = (text: string): string => `{"rows":[${text}]}`;
const join = (...parts: (string | Buffer)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part as string)));

/** The members of each row. */
const golden: [name: string, body: string, expected: JsonRow['members'][]][] = [
  ['no row', rows(''), []],
  ['an empty row', rows('{}'), [[]]],
  [
    'text, null and empty text',
    rows('{"a":"x","b":null,"c":""}'),
    [
      [
        ['a', 'x'],
        ['b', null],
        ['c', ''],
      ],
    ],
  ],
  [
    'the digits of numbers',
    rows('{"a":12345678901234567890.10,"b":-0,"c":1E5,"d":0.1}'),
    [
      [
        ['a', '12345678901234567890.10'],
        ['b', '-0'],
        ['c', '1E5'],
        ['d', '0.1'],
      ],
    ],
  ],
  [
    'booleans',
    rows('{"a":true,"b":false}'),
    [
      [
        ['a', 'true'],
        ['b', 'false'],
      ],
    ],
  ],
  [
    'nested values as JSON',
    rows('{"a":{"x" : [1.0, "q\\"\\n", null,{}], "y":true},"b":[],"c":{}}'),
    [
      [
        ['a', '{"x":[1.0,"q\\"\\n",null,{}],"y":true}'],
        ['b', '[]'],
        ['c', '{}'],
      ],
    ],
  ],
  [
    'duplicate, numeric and dangerous keys in their order',
    rows('{"b":1,"1":2,"b":3,"__proto__":4,"constructor":{"__proto__":5}}'),
    [
      [
        ['b', '1'],
        ['1', '2'],
        ['b', '3'],
        ['__proto__', '4'],
        ['constructor', '{"__proto__":5}'],
      ],
    ],
  ],
  ['rows that are no objects', rows('1,"x",null,[{"a":1}],{"a":2},true'), [null, null, null, null, [['a', '2']], null]],
  ['other members', '{"x":{"rows":[{"a":1}]},"y":["rows"],"rows":[{"a":2}],"z":[[1]]}', [[['a', '2']]]],
  ['white space and a byte-order mark', '\ufeff \r\n\t{ "rows" : [ { "a" : 1 } ] } \n', [[['a', '1']]]],
  ['letters of any length and escapes', rows('{"ä€😀":"\\u00e4\\ud83d\\ude00😀"}'), [[['ä€😀', 'ä😀😀']]]],
];

const faulty: [name: string, body: string | Buffer, code: string, line: number | undefined, message: RegExp][] = [
  ['white space only', ' \n', 'invalid_json', undefined, /ends too early/],
  ['a body cut off', '{"rows":[{"a":1},{"a"', 'invalid_json', 3, /ends too early/],
  ['a string cut off', '{"rows":[{"a":"x', 'invalid_json', 2, /no valid JSON/],
  ['an array as root', '[{"a":1}]', 'invalid_json', undefined, /no JSON object/],
  ['a number as root', '12', 'invalid_json', undefined, /no JSON object/],
  ['no rows', '{"row":[]}', 'invalid_json', undefined, /no member "rows"/],
  ['rows only deeper', '{"x":{"rows":[]}}', 'invalid_json', undefined, /no member "rows"/],
  ['rows that are an object', '{"rows":{}}', 'invalid_json', undefined, /no array/],
  ['rows that are null', '{"rows":null}', 'invalid_json', undefined, /no array/],
  ['rows given twice', '{"rows":[],"rows":[]}', 'invalid_json', undefined, /twice/],
  ['text behind the object', '{"rows":[]}{}', 'invalid_json', undefined, /follows/],
  ['a bracket behind the object', '{"rows":[]}]', 'invalid_json', undefined, /no valid JSON/],
  ['a comma too many', rows('{"a":1,}'), 'invalid_json', 2, /no valid JSON/],
  ['a comma too many in the array', rows('{"a":1},'), 'invalid_json', 2, /no valid JSON/],
  ['a missing comma', rows('{"a":1 "b":2}'), 'invalid_json', 2, /no valid JSON/],
  ['a missing colon', rows('{"a" 1}'), 'invalid_json', 2, /no valid JSON/],
  ['a key that is no string', rows('{1:1}'), 'invalid_json', 2, /no valid JSON/],
  ['brackets that do not match', rows('{"a":[1}'), 'invalid_json', 2, /no valid JSON/],
  ['a number with a leading zero', rows('{"a":01}'), 'invalid_json', 2, /no valid JSON/],
  ['NaN', rows('{"a":NaN}'), 'invalid_json', 2, /no valid JSON/],
  ['single quotes', "{'rows':[]}", 'invalid_json', undefined, /no valid JSON/],
  ['a line feed in a string', rows('{"a":"x\ny"}'), 'invalid_json', 2, /no valid JSON/],
  ['a bad escape', rows('{"a":"\\x"}'), 'invalid_json', 2, /no valid JSON/],
  ['a bad byte', join('{"rows":["', Buffer.from([0xe4]), '"]}'), 'invalid_encoding', undefined, /UTF-8/],
  ['a bad byte behind bad JSON', join('{]', Buffer.from([0xe4])), 'invalid_json', undefined, /no valid JSON/],
  ['a character cut by the end', join('{"rows":["', Buffer.from([0xe2, 0x82])), 'invalid_encoding', undefined, /UTF-8/],
  ['UTF-16', join(Buffer.from([0xff, 0xfe]), Buffer.from('{}', 'utf16le')), 'invalid_encoding', undefined, /UTF-16/],
  ['UTF-16 without a mark', Buffer.from('{"rows":[]}', 'utf16le'), 'invalid_encoding', undefined, /NUL/],
  ['NUL', rows('{"a":"\0"}'), 'invalid_encoding', undefined, /NUL/],
  ['an escaped NUL', rows('{"a":"x\\u0000"}'), 'invalid_encoding', undefined, /NUL/],
  ['an escaped NUL in a key', rows('{"\\u0000":1}'), 'invalid_encoding', undefined, /NUL/],
  ['half a surrogate pair', rows('{"a":"\\ud800"}'), 'invalid_encoding', undefined, /surrogate/],
  ['the other half', rows('{"a":"\\udc00x"}'), 'invalid_encoding', undefined, /surrogate/],
  ['halves in the wrong order', rows('{"a":["\\udc00\\ud800"]}'), 'invalid_encoding', undefined, /surrogate/],
];

describe('readJsonRows', () => {
  it.each(golden)('reads %s, wherever it is cut', async (_name, body, expected) => {
    const whole = { rows: expected.map((members, index) => ({ line: index + 2, members })) };
    expect(await outcome([Buffer.from(body)])).toEqual(whole);
    await expectEqualCuts(Buffer.from(body), whole);
  });

  it.each(faulty)('refuses %s, wherever it is cut', async (_name, body, code, line, message) => {
    const bytes = Buffer.from(body as string);
    const whole = await outcome([bytes]);
    expect(whole).toEqual({ code, line, message: expect.stringMatching(message) });
    await expectEqualCuts(bytes, whole);
  });

  it('gives no row for zero bytes', async () => {
    expect(await outcome([])).toEqual({ rows: [] });
  });

  it('refuses deep nesting instead of running out of stack', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    for (const body of [`{"x":${deep}}`, rows(`{"a":${deep}}`), rows(deep), `{"x":${'{"x":'.repeat(100_000)}`]) {
      expect(await outcome([Buffer.from(body)])).toMatchObject({
        code: 'invalid_json',
        message: expect.stringMatching(/nested/),
      });
    }
    expect(await outcome([Buffer.from(deep)])).toMatchObject({ code: 'invalid_json' });
  });

  it('refuses a row or a string that would fill the memory', async () => {
    const text = 'x'.repeat(MAX_ROW_CHARACTERS);
    expect(await outcome([Buffer.from(rows(`{"":"${text}"}`))])).toMatchObject({ rows: [{ line: 2 }] });
    for (const body of [`{"a":"${text}"}`, `{"":"${text}x"}`, `{"a":[${'1,'.repeat(70_000)}1]}`, '{"a":1},"' + text]) {
      expect(await outcome([Buffer.from(rows(body))])).toMatchObject({
        code: 'invalid_json',
        message: expect.stringMatching(/more than|too long|valid/),
      });
    }
    let taken = 0;
    // eslint-disable-next-line @typescript-eslint/require-await -- a source that always has data
    async function* endless(): AsyncGenerator<Buffer> {
      yield Buffer.from('{"ignored":"');
      for (; taken < 100; taken++) yield Buffer.alloc(65_536, 'x');
    }
    const reading = async (): Promise<void> => {
      for await (const _ of readJsonRows(endless()));
    };
    await expect(reading()).rejects.toMatchObject({ code: 'invalid_json' });
    expect(taken).toBeLessThan(4);
  });

  it('counts bytes, slices big chunks and lets timers run', async () => {
    const body = Buffer.from(rows(Array.from({ length: 100_000 }, (_, index) => `{"cost":${index}.50}`).join(',')));
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    let count = 0;
    let read = 0;
    for await (const batch of readJsonRows(Readable.from([body]))) {
      expect(batch.rows.length).toBeLessThan(10_000);
      for (const row of batch.rows) expect(row.line).toBe(++count + 1);
      read = batch.bytesRead;
    }
    clearInterval(timer);
    expect([count, read]).toEqual([100_000, body.length]);
    expect(ticks).toBeGreaterThan(5);
  });

  it('agrees with JSON.parse on any rows', async () => {
    const scalar = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean(), fc.constant(null));
    const key = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
    const value = scalar.filter((text) => typeof text !== 'string' || !text.includes('\0'));
    const row = fc.uniqueArray(fc.tuple(key, fc.oneof(value, fc.array(value, { maxLength: 3 }))), {
      selector: ([name]) => name,
    });
    const size = fc.integer({ min: 1, max: 50 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 5 }),
        size,
        fc.integer({ min: 0, max: 3 }),
        async (list, step, space) => {
          const objects = list.map(
            (members) =>
              `{${members.map(([name, cell]) => `${JSON.stringify(name)}:${JSON.stringify(cell, null, space)}`).join(',')}}`,
          );
          const body = Buffer.from(rows(objects.join(',')));
          const chunks: Buffer[] = [];
          for (let at = 0; at < body.length; at += step) chunks.push(body.subarray(at, at + step));
          const text = (cell: unknown): string | null =>
            typeof cell === 'string' || cell === null ? cell : JSON.stringify(cell);
          const expected = list.map((members, index) => ({
            line: index + 2,
            members: members.map(([name, cell]) => [name, text(cell)]),
          }));
          expect(await outcome(chunks)).toEqual({ rows: expected });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('fails and destroys its source like readCsv', async () => {
    const source = Readable.from([Buffer.from('{"rows":[]}x'), Buffer.from(' ')]);
    await expect(async () => {
      for await (const _ of readJsonRows(source));
    }).rejects.toMatchObject({ code: 'invalid_json' });
    expect(source.destroyed).toBe(true);
  });
});
