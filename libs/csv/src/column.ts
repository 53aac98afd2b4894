/**
 * `text` is what people or outside systems wrote and may look like a formula; `id` was made by ourselves and never does.
 * The type, not the value, decides about the formula prefix.
 */
export type ColumnType = 'text' | 'id' | 'integer' | 'decimal' | 'date' | 'timestamp' | 'boolean';

/** null and undefined are unknown and become an empty cell. */
export type CellValue = string | number | bigint | boolean | Date | null | undefined;

/** One column of a file, in the order of the file. */
export interface Column<Row> {
  /** Member name in JSON forms. */
  key: string;
  header: string;
  type: ColumnType;
  /** Of a `decimal`: digits behind the point, rounded half away from zero. Without it all digits are written. */
  decimals?: number;
  /** Of a `text`: a value of this form is left alone although it looks like a formula, for example a phone number. */
  neverFormula?: RegExp;
  value(row: Row): CellValue;
  /** Of a cell that holds a list: its items, which JSON forms keep apart. */
  items?(row: Row): readonly string[];
}

/** A row by the keys of its columns, as a query yields it. */
export type TableRow = Readonly<Record<string, CellValue>>;

/** A column whose header is its key, and whose cell is the member of that name. */
export function keyedColumn(
  key: string,
  type: ColumnType,
  more: Partial<Pick<Column<TableRow>, 'header' | 'decimals' | 'neverFormula'>> = {},
): Column<TableRow> {
  return { key, header: key, type, value: (row) => row[key], ...more };
}

/**
 * The text of a cell before quoting and formula prefix: `date` YYYY-MM-DD and `timestamp` RFC 3339 in UTC with whole
 * seconds, numbers without exponent.
 * @throws TypeError when the value does not fit the type of the column
 */
export function formatCell<Row>(column: Column<Row>, value: CellValue): string {
  if (value === null || value === undefined) return '';
  switch (column.type) {
    case 'text':
    case 'id':
      if (typeof value === 'string') return value;
      break;
    case 'boolean':
      if (typeof value === 'boolean') return String(value);
      break;
    case 'date':
      if (value instanceof Date && isRealTime(value)) return value.toISOString().slice(0, 10);
      if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)) return value;
      break;
    case 'timestamp': {
      if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(value)) return value;
      const time = typeof value === 'string' ? new Date(value) : value;
      if (time instanceof Date && isRealTime(time)) return `${time.toISOString().slice(0, 19)}Z`;
      break;
    }
    case 'integer':
    case 'decimal': {
      const number = plainDecimal(value);
      if (number === undefined) break;
      if (column.type === 'decimal') return column.decimals === undefined ? number : round(number, column.decimals);
      if (!number.includes('.')) return number;
    }
  }
  throw new TypeError(`Column ${column.key} of type ${column.type} cannot hold ${String(value)}`);
}

function isRealTime(time: Date): boolean {
  const year = time.getUTCFullYear();
  return year >= 0 && year <= 9999;
}

/** The digits of a number without exponent and plus sign; undefined when it is none. */
function plainDecimal(value: CellValue): string | undefined {
  const match = /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (match === null || typeof value === 'boolean') return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const shift = Number(exponent);
  const digits = whole + fraction;
  const point = whole.length + shift;
  const integral = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0');
  const rest = point <= 0 ? digits.padStart(digits.length - point, '0') : digits.slice(point);
  const text = rest === '' ? integral : `${integral}.${rest}`;
  return sign === '-' && /[1-9]/.test(text) ? `-${text}` : text;
}

/** Half away from zero, on digits: `toFixed` makes 1.00 of 1.005. A result of zero has no sign. */
function round(number: string, decimals: number): string {
  const [whole = '', fraction = ''] = number.replace('-', '').split('.');
  const kept = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  const digits = String(kept + ((fraction[decimals] ?? '0') >= '5' ? 1n : 0n)).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const text = decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return number.startsWith('-') && /[1-9]/.test(text) ? `-${text}` : text;
}
