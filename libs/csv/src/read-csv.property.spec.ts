import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InputFileError } from './csv-error.js';
import { type CsvRecord, readCsv } from './read-csv.js';

type Model = { records: CsvRecord[] } | { fault: { line: number } };

const QUOTED = '"[^"]*(?:""[^"]*)*"';

/** A well-formed record at `lastIndex`: fields of this class of separators up to a line end or the end of the file. */
function recordPattern(separators: string): RegExp {
  const field = `(?:${QUOTED}|[^"${separators}\\r\\n]*)`;
  return new RegExp(`${field}(?:[${separators}]${field})*(?=\\r?\\n|$)`, 'y');
}

/** The rules of contract.md §2 once more: the whole file as one string, by regular expressions. */
function modelRecords(file: string): Model {
  const text = file.replace(/^\ufeff/, '');
  const records: CsvRecord[] = [];
  let separator: string | undefined;
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  while (at < text.length) {
    const dropped = match(/#[^\n]*(?:\n|$)|\r?\n/y);
    if (dropped !== undefined) {
      at += dropped.length;
      continue;
    }
    const line = records.length + 1;
    if (separator === undefined) {
      const first = match(recordPattern(',;\t'));
      if (first === undefined) return { fault: { line } };
      separator = modelSeparator(first);
    }
    const record = match(recordPattern(separator));
    if (record === undefined) return { fault: { line } };
    const fileLine = text.slice(0, at).split('\n').length;
    const cells = [...`${separator}${record}`.matchAll(new RegExp(`${separator}(${QUOTED}|[^${separator}]*)`, 'g'))];
    const values = cells.map(([, cell = '']) =>
      cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
    );
    records.push({ line, fileLine, cells: values });
    at += record.length;
    at += match(/\r?\n/y)?.length ?? 0;
  }
  return { records };
}

function modelSeparator(record: string): string {
  const bare = record.replaceAll(new RegExp(QUOTED, 'g'), '');
  const count = (character: string): number => bare.split(character).length - 1;
  if (count(',') > 0 || count(';') + count('\t') === 0) return ',';
  return count('\t') > count(';') ? '\t' : ';';
}

async function outcome(chunks: readonly Buffer[]): Promise<unknown> {
  const records: CsvRecord[] = [];
  try {
    for await (const batch of readCsv(Readable.from(chunks))) records.push(...batch.records);
    return { records };
  } catch (error) {
    if (!(error instanceof InputFileError)) throw error;
    return { code: error.code, line: error.line };
  }
}

describe('readCsv against a slow reader of the same rules', () => {
  it('agrees with a slow reader on any file, cut anywhere', async () => {
    const piece = fc.constantFrom(
      '"',
      '"',
      ',',
      ';',
      '\t',
      '\n',
      '\n',
      '\r\n',
      '\r',
      '#',
      'a',
      'b',
      ' ',
      'ä',
      '😀',
      '""',
      '","',
      '"\n',
    );
    const file = fc.array(piece, { maxLength: 40 }).map((parts) => Buffer.from(parts.join('')));
    const cut = fc.array(fc.nat(60), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(file, cut, async (content, cuts) => {
        const borders = [0, ...cuts.map((at) => Math.min(at, content.length)).sort((a, b) => a - b), content.length];
        const chunks = borders.slice(1).map((to, index) => content.subarray(borders[index], to));
        const result = await outcome(chunks);
        const model = modelRecords(content.toString());
        if ('fault' in model) expect(result).toEqual({ code: 'malformed_csv', ...model.fault });
        else expect(result).toEqual(model);
      }),
      { numRuns: 3000 },
    );
  });

  it('agrees with the slow reader on well-formed files of several pieces', async () => {
    const cell = fc.oneof(
      fc.constantFrom('', 'a', '1.5', '#x', 'ä "q"', 'x\r\ny', 'a,b', 'long '.repeat(400)),
      fc.string(),
    );
    const quote = (text: string): string =>
      /^#|[",;\t\r\n\0]|^$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    const records = fc.array(
      fc.array(
        cell.map((text) => text.replaceAll('\0', '')),
        { minLength: 1, maxLength: 6 },
      ),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(
        records,
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 40_000 }),
        async (rows, end, size) => {
          const content = Buffer.from(rows.map((row) => row.map(quote).join(',') + end).join(`# c${end}${end}`));
          const chunks: Buffer[] = [];
          for (let at = 0; at < content.length; at += size) chunks.push(content.subarray(at, at + size));
          const result = await outcome(chunks);
          expect(result).toEqual(modelRecords(content.toString()));
          const [header] = rows;
          const isCommaFile = header === undefined || header.length > 1 || !/[;\t]/.test(header[0] ?? '');
          if (isCommaFile) expect(result).toMatchObject({ records: rows.map((row) => ({ cells: row })) });
        },
      ),
      { numRuns: 150 },
    );
  });
});
