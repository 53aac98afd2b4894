import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CellValue, type Column, type ColumnType, formatCell } from './column.js';

const cell = (type: ColumnType, value: CellValue, decimals?: number): string => {
  const column: Column<CellValue> = { key: 'k', header: 'K', type, value: (row) => row };
  return formatCell(decimals === undefined ? column : { ...column, decimals }, value);
};

describe('formatCell', () => {
  it.each<[ColumnType, CellValue, number | undefined, string]>([
    ['text', 'a "b"', undefined, 'a "b"'],
    ['text', null, undefined, ''],
    ['decimal', undefined, 2, ''],
    ['id', '-00ff', undefined, '-00ff'],
    ['integer', 42, undefined, '42'],
    ['integer', -12345678901234567890n, undefined, '-12345678901234567890'],
    ['integer', '9007199254740993', undefined, '9007199254740993'],
    ['integer', 1e21, undefined, '1000000000000000000000'],
    ['decimal', 0.1 + 0.2, 2, '0.30'],
    ['decimal', 0.1 + 0.2, undefined, '0.30000000000000004'],
    ['decimal', 1.005, 2, '1.01'],
    ['decimal', '-1.005', 2, '-1.01'],
    ['decimal', '2.5', 0, '3'],
    ['decimal', '99.995', 2, '100.00'],
    ['decimal', '-0.004', 2, '0.00'],
    ['decimal', -0, 2, '0.00'],
    ['decimal', 1e-7, undefined, '0.0000001'],
    ['decimal', -1.5e-7, 4, '0.0000'],
    ['decimal', 1.25e21, 1, '1250000000000000000000.0'],
    ['decimal', '123456789012345.678900', undefined, '123456789012345.678900'],
    ['decimal', 7, 4, '7.0000'],
    ['date', '2024-02-29', undefined, '2024-02-29'],
    ['date', new Date('2024-02-29T23:59:59Z'), undefined, '2024-02-29'],
    ['timestamp', new Date('2024-02-29T23:59:59.999Z'), undefined, '2024-02-29T23:59:59Z'],
    ['timestamp', '2024-02-29T23:59:59Z', undefined, '2024-02-29T23:59:59Z'],
    ['timestamp', '2024-03-01T01:00:00+02:00', undefined, '2024-02-29T23:00:00Z'],
    ['boolean', false, undefined, 'false'],
  ])('writes %s %p with decimals %p as %p', (type, value, decimals, text) => {
    expect(cell(type, value, decimals)).toBe(text);
  });

  it.each<[ColumnType, CellValue]>([
    ['text', 5],
    ['integer', 1.5],
    ['integer', true],
    ['decimal', NaN],
    ['decimal', Infinity],
    ['decimal', '1,5'],
    ['decimal', ''],
    ['date', '1.2.2024'],
    ['date', new Date(NaN)],
    ['timestamp', 'soon'],
    ['boolean', 'true'],
  ])('refuses in a column of type %s the value %p', (type, value) => {
    expect(() => cell(type, value)).toThrow(TypeError);
  });

  it('rounds every decimal half away from zero', () => {
    const amount = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
    fc.assert(
      fc.property(amount, (millionths) => {
        const digits = String(millionths < 0n ? -millionths : millionths).padStart(7, '0');
        const written = `${millionths < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
        const hundredths = BigInt(cell('decimal', written, 2).replace('.', ''));
        const away = (millionths < 0n ? millionths - 5000n : millionths + 5000n) / 10_000n;
        expect(hundredths).toBe(away);
      }),
    );
  });
});
