import { describe, expect, it } from '@jest/globals';
import type { Column } from './column.js';
import { joinBlocks } from './join-blocks.js';
import { writeCsv } from './write-csv.js';
import { keyValues, writeKeyValues } from './write-key-values.js';

interface Row {
  name: string | null;
  amount: number;
  phone: string;
}

const columns: Column<Row>[] = [
  { key: 'name', header: 'Name', type: 'text', value: (row) => row.name },
  { key: 'amount', header: 'Amount', type: 'decimal', decimals: 2, value: (row) => row.amount },
  { key: 'phone', header: 'Phone', type: 'text', neverFormula: /^\+\d+$/, value: (row) => row.phone },
];

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const bytes: Buffer[] = [];
  for await (const chunk of chunks) bytes.push(chunk);
  return Buffer.concat(bytes).toString();
}

describe('a block of keys and values', () => {
  it('has a line a column, and no header', async () => {
    const file = writeKeyValues({ name: 'a, "b"\nc', amount: 1, phone: '1' }, { columns });
    expect(await textOf(file.chunks)).toBe('Name,"a, ""b""\nc"\nAmount,1.00\nPhone,1\n');
    expect(file).toMatchObject({ rows: 3, formulasEscaped: 0 });
  });

  it('puts a quote before what looks like a formula, in text only', async () => {
    const row = { name: '=1', amount: -0.5, phone: '+49' };
    const file = writeKeyValues(row, { columns, bom: true });
    expect(await textOf(file.chunks)).toBe("\ufeffName,'=1\nAmount,-0.50\nPhone,+49\n");
    expect(file.formulasEscaped).toBe(1);
    const raw = writeKeyValues(row, { columns, escapeFormulas: false });
    expect(await textOf(raw.chunks)).toBe('Name,=1\nAmount,-0.50\nPhone,+49\n');
    expect(raw.formulasEscaped).toBe(0);
    expect(await textOf(writeKeyValues({ ...row, phone: '+cmd' }, { columns }).chunks)).toContain("Phone,'+cmd\n");
  });

  it('has an empty cell for what is unknown, and no sign before zero', () => {
    expect(keyValues(columns, { name: null, amount: -0.001, phone: '' })).toEqual([
      { key: 'Name', value: '' },
      { key: 'Amount', value: '0.00' },
      { key: 'Phone', value: '' },
    ]);
  });

  it('is joined with a table by an empty line', async () => {
    const row = { name: 'x', amount: 1, phone: '' };
    const blocks = [
      writeKeyValues(row, { columns, bom: true }),
      writeCsv([row], { columns }),
      writeCsv([], { columns }),
    ];
    expect(await textOf(joinBlocks(blocks))).toBe(
      '\ufeffName,x\nAmount,1.00\nPhone,\n\nName,Amount,Phone\nx,1.00,\n\nName,Amount,Phone\n',
    );
  });
});
