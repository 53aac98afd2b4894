import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keyedColumn, type CellValue, type Column, type TableRow } from './column.js';
import { writeJson, type JsonLayout } from './write-json.js';

const columns: Column<TableRow>[] = [
  keyedColumn('name', 'text', { header: 'Name' }),
  keyedColumn('count', 'integer'),
  keyedColumn('amount', 'decimal', { decimals: 2 }),
  keyedColumn('day', 'date'),
  keyedColumn('at', 'timestamp'),
  keyedColumn('is_new', 'boolean'),
];

async function written<Row>(rows: Iterable<Row>, layout: JsonLayout<Row>): Promise<{ text: string; rows: number }> {
  const file = writeJson(rows, layout);
  const chunks: Buffer[] = [];
  for await (const chunk of file.chunks) chunks.push(chunk);
  return { text: Buffer.concat(chunks).toString(), rows: file.rows };
}

describe('writeJson', () => {
  it('writes metadata, columns, rows and totals in this order', async () => {
    const rows = [
      { name: 'a "b"\n', count: '9007199254740993', amount: '1.005', day: '2026-01-02', at: new Date(0), is_new: true },
      { name: null, count: 7n, amount: null, day: null, at: undefined, is_new: null },
    ];
    const layout = { columns, metadata: { title: 'x' }, describeColumns: true, rowsKey: 'rows', totals: true };
    const file = await written<TableRow>(rows, layout);
    expect(file.rows).toBe(2);
    expect(file.text).toBe(`{"metadata":{"title":"x"},
"columns":[{"key":"name","label":"Name","type":"text"},{"key":"count","label":"count","type":"integer"},{"key":"amount","label":"amount","type":"decimal"},{"key":"day","label":"day","type":"date"},{"key":"at","label":"at","type":"timestamp"},{"key":"is_new","label":"is_new","type":"boolean"}],
"rows":[
{"name":"a \\"b\\"\\n","count":9007199254740993,"amount":1.01,"day":"2026-01-02","at":"1970-01-01T00:00:00Z","is_new":true},
{"name":"","count":7,"amount":null,"day":"","at":"","is_new":null}
],
"totals":{"count":9007199254741000}}
`);
  });

  it('writes only what is asked for, also without rows', async () => {
    expect((await written([], { columns, rowsKey: 'records' })).text).toBe('{"records":[]}\n');
    expect((await written([], { columns, rowsKey: 'rows', totals: true })).text).toBe(
      '{"rows":[],\n"totals":{"count":0}}\n',
    );
  });

  it('keeps the items of a list apart', async () => {
    const tags: Column<string[]> = {
      key: 'tags',
      header: 'tags',
      type: 'text',
      value: (row) => row.join(' '),
      items: (row) => row,
    };
    const file = await written([['a b', 'c'], []], { columns: [tags], rowsKey: 'rows' });
    expect(JSON.parse(file.text)).toEqual({ rows: [{ tags: ['a b', 'c'] }, { tags: [] }] });
  });

  it('gives any text back, and no formula prefix', async () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('=1', '\0', '\ud800', '\u2028', '"', '\\'));
    await fc.assert(
      fc.asyncProperty(fc.array(text), async (names) => {
        const file = await written<TableRow>(
          names.map((name) => ({ name })),
          { columns: columns.slice(0, 1), rowsKey: 'rows' },
        );
        expect(JSON.parse(file.text)).toEqual({ rows: names.map((name) => ({ name })) });
      }),
    );
  });

  it('writes in big chunks and holds no rows', async () => {
    let taken = 0;
    function* rows(): Generator<TableRow> {
      for (; taken < 1_000_000; taken++) yield { name: 'x'.repeat(50) };
    }
    for await (const chunk of writeJson(rows(), { columns, rowsKey: 'rows' }).chunks) {
      expect(chunk.length).toBeGreaterThan(60_000);
      break;
    }
    expect(taken).toBeLessThan(10_000);
  });

  it('fails with a value that does not fit its column', async () => {
    const wrong: CellValue = 'many';
    await expect(written<TableRow>([{ count: wrong }], { columns, rowsKey: 'rows' })).rejects.toThrow('Column count');
  });
});
