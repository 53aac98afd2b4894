import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keyedColumn, type Column, type TableRow } from './column.js';
import { readCsv } from './read-csv.js';
import { type CsvLayout, writeCsv } from './write-csv.js';

interface Row {
  name: string;
  amount: number;
}

const columns: Column<Row>[] = [
  { key: 'name', header: 'Name', type: 'text', value: (row) => row.name },
  { key: 'amount', header: 'Amount', type: 'decimal', decimals: 2, value: (row) => row.amount },
];

/** Columns of one type over rows of cells. */
function cellColumns(type: 'text' | 'id', headers: string[]): Column<string[]>[] {
  return headers.map((header, index) => ({ key: header, header, type, value: (row) => row[index] }));
}

async function written<R>(
  rows: Iterable<R>,
  layout: CsvLayout<R>,
): Promise<{ text: string; rows: number; escaped: number }> {
  const file = writeCsv(rows, layout);
  const chunks: Buffer[] = [];
  for await (const chunk of file.chunks) chunks.push(chunk);
  return { text: Buffer.concat(chunks).toString(), rows: file.rows, escaped: file.formulasEscaped };
}

async function readBack(text: string): Promise<(readonly string[])[]> {
  const records: (readonly string[])[] = [];
  for await (const batch of readCsv(Readable.from([Buffer.from(text)]))) {
    records.push(...batch.records.map((record) => record.cells));
  }
  return records;
}

describe('writeCsv', () => {
  it('writes header, rows and a final newline, and quotes only where needed', async () => {
    const rows = [
      { name: 'a b', amount: 1 },
      { name: 'x,y "z"\n', amount: -0.5 },
      { name: 'ä', amount: 1.005 },
    ];
    const file = await written(rows, { columns });
    expect(file).toEqual({ text: 'Name,Amount\na b,1.00\n"x,y ""z""\n",-0.50\nä,1.01\n', rows: 3, escaped: 0 });
  });

  it('writes the header without rows', async () => {
    expect(await written([], { columns })).toEqual({ text: 'Name,Amount\n', rows: 0, escaped: 0 });
    expect((await written([], { columns, bom: true })).text).toBe('\ufeffName,Amount\n');
  });

  it('writes byte-order mark and preamble before the header', async () => {
    const layout = { columns, bom: true, preamble: ['# Title', '# Property: a\r\nb,"c"'] };
    expect((await written([], layout)).text).toBe('\ufeff# Title\n# Property: a  b,"c"\nName,Amount\n');
    expect((await written([], { columns, preamble: ['# x'] })).text).toBe('# x\nName,Amount\n');
    await expect(written([], { columns, preamble: ['no comment'] })).rejects.toThrow(TypeError);
  });

  it('puts a quote before what looks like a formula, in text columns and headers only', async () => {
    const texts = [
      '=1',
      '+1',
      '-1',
      '@x',
      '\tx',
      '\rx',
      '\nx',
      '\0=x',
      '＝1',
      '＋1',
      '－1',
      '＠x',
      "'=1",
      'a=1',
      ' =1',
      '',
    ];
    const file = await written(
      texts.map((name) => ({ name, amount: -1 })),
      { columns },
    );
    const cells = (await readBack(file.text)).slice(1);
    expect(cells.map(([name]) => name)).toEqual(
      texts.map((text, index) => (index < 12 ? `'${text}` : text).replace('\0', '')),
    );
    expect(cells.every(([, amount]) => amount === '-1.00')).toBe(true);
    expect(file.escaped).toBe(12);
    expect((await written([['-x']], { columns: cellColumns('id', ['id']) })).text).toBe('id\n-x\n');
    expect(await written([], { columns: cellColumns('id', ['=id']) })).toEqual({ text: "'=id\n", rows: 0, escaped: 1 });
  });

  it('writes formulas as they are when told so', async () => {
    const file = await written([{ name: '=1', amount: 1 }], { columns, escapeFormulas: false });
    expect(file).toEqual({ text: 'Name,Amount\n=1,1.00\n', rows: 1, escaped: 0 });
  });

  it('leaves alone what the column says is never a formula', async () => {
    const phone: Column<string> = {
      key: 'phone',
      header: 'phone',
      type: 'text',
      neverFormula: /^\+[\d ().-]+$/,
      value: (row) => row,
    };
    const file = await written(['+49 (30) 12-34', '+cmd'], { columns: [phone] });
    expect(file).toEqual({ text: "phone\n+49 (30) 12-34\n'+cmd\n", rows: 2, escaped: 1 });
  });

  it('quotes what a reader would take for a comment or an empty line', async () => {
    expect((await written([['#x'], [''], ['a']], { columns: cellColumns('text', ['#h']) })).text).toBe(
      '"#h"\n"#x"\n""\na\n',
    );
    expect((await written([['', '#x']], { columns: cellColumns('text', ['a', 'b']) })).text).toBe('a,b\n,#x\n');
  });

  it('ends with a row of totals, which is no data row', async () => {
    const counted: Column<TableRow>[] = [
      keyedColumn('name', 'text'),
      keyedColumn('amount', 'decimal'),
      keyedColumn('count', 'integer'),
    ];
    const rows = [
      { name: '=a', amount: 1.5, count: '9007199254740993' },
      { name: 'b', amount: 2, count: 7 },
      { name: 'c', amount: 2, count: null },
    ];
    const layout = { columns: counted, totalLabel: 'Total' };
    expect(await written<TableRow>(rows, layout)).toEqual({
      text: "name,amount,count\n'=a,1.5,9007199254740993\nb,2,7\nc,2,\nTotal,,9007199254741000\n",
      rows: 3,
      escaped: 1,
    });
    expect((await written<TableRow>([], layout)).text).toBe('name,amount,count\nTotal,,0\n');
  });

  it('fails with the error of its rows and with a value that does not fit', async () => {
    function* rows(): Generator<Row> {
      yield { name: 'a', amount: 1 };
      throw new Error('query failed');
    }
    await expect(written(rows(), { columns })).rejects.toThrow('query failed');
    await expect(written([{ name: 'a', amount: NaN }], { columns })).rejects.toThrow('Column amount');
  });

  it('stops its rows when the reader stops, and writes in big chunks', async () => {
    let taken = 0;
    let isClosed = false;
    function* rows(): Generator<Row> {
      try {
        for (; taken < 1_000_000; taken++) yield { name: 'x'.repeat(50), amount: taken };
      } finally {
        isClosed = true;
      }
    }
    for await (const chunk of writeCsv(rows(), { columns }).chunks) {
      expect(chunk.length).toBeGreaterThan(60_000);
      break;
    }
    await new Promise(setImmediate);
    expect(isClosed).toBe(true);
    expect(taken).toBeLessThan(10_000);
  });

  it('is read back equal by readCsv, one leading quote aside', async () => {
    const cell = fc.oneof(
      fc.constantFrom('', '#', '=1', "'", '"', ',', '\r', '\n', '\ufeff', '-1', 'a'),
      fc.string({ unit: 'grapheme' }),
    );
    const clean = cell.map((text) => text.replaceAll('\0', ''));
    const rows = fc.array(fc.tuple(clean, clean, clean), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(rows, fc.boolean(), fc.boolean(), async (list, bom, isRaw) => {
        const layout = {
          columns: cellColumns('text', ['a', 'b', 'c']),
          bom,
          escapeFormulas: !isRaw,
          preamble: ['# "x'],
        };
        const file = await written(list, layout);
        const records = await readBack(file.text);
        const restored = records.map((record) =>
          record.map((text) => (isRaw ? text : text.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, ''))),
        );
        const asRead = list.map((row) =>
          row.map((text) => (isRaw ? text : text.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, ''))),
        );
        expect(restored).toEqual([['a', 'b', 'c'], ...asRead]);
      }),
      { numRuns: 300 },
    );
  });

  it('is read back equal with a single column', async () => {
    const rows = fc.array(fc.tuple(fc.constantFrom('', '#x', 'a', ' ', '"', '\n')), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(rows, async (list) => {
        const file = await written(list, { columns: cellColumns('id', ['a']) });
        expect(await readBack(file.text)).toEqual([['a'], ...list]);
      }),
    );
  });
});
