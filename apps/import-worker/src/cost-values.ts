/** Digits that a stored amount holds before and after the point. */
const MAX_INTEGER_DIGITS = 15;
const MAX_FRACTION_DIGITS = 6;

const MIN_YEAR = 1970;
const MAX_YEAR = 2100;

const CALENDAR_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const RFC3339 =
  /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/**
 * A real calendar date of 1970 to 2100, given as `YYYY-MM-DD` or as RFC 3339, whose date is taken as written.
 *
 * @returns `YYYY-MM-DD`, or undefined
 */
export function parseDate(text: string): string | undefined {
  const written = RFC3339.exec(text)?.[1] ?? text;
  const parts = CALENDAR_DATE.exec(written);
  if (parts === null) return undefined;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  if (year < MIN_YEAR || year > MAX_YEAR || month < 1 || month > 12 || day < 1) return undefined;
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate() ? written : undefined;
}

/** What nearly every amount looks like; matched without taking it apart. */
const USUAL = /^\d{1,15}(?:\.\d{1,6})?$/;
const PLAIN = /^([+-]?)(\d*)(?:\.(\d+))?$/;
/** Groups of exactly three, the first without a leading zero (`0,123` is a decimal comma), one kind of separator in a number: comma, space, apostrophe, their typographic forms. */
const GROUPED = /^([+-]?)([1-9]\d{0,2}(?:([, '\u00A0\u202F\u2019])\d{3})(?:\3\d{3})*)(?:\.(\d+))?$/;
const DECIMAL_COMMA = /^[+-]?\d{1,3}(?:[. '\u00A0\u202F\u2019]?\d{3})*,\d+$/;

export type Amount =
  | { kind: 'amount'; digits: string }
  | { kind: 'negative' }
  /** `reason` continues «cost …». */
  | { kind: 'invalid'; reason: string };

/** A decimal number, exactly as written: thousands separators and a plus go, digits stay. */
export function parseAmount(text: string): Amount {
  if (USUAL.test(text)) return { kind: 'amount', digits: text };
  const plain = PLAIN.exec(text);
  const parts = plain ?? GROUPED.exec(text);
  const whole = plain === null ? (parts?.[2] ?? '').replace(/\D/g, '') : (plain[2] ?? '');
  const fraction = (plain === null ? parts?.[4] : plain[3]) ?? '';
  if (parts === null || (whole === '' && fraction === '')) return { kind: 'invalid', reason: reasonAgainst(text) };
  if (parts[1] === '-' && /[1-9]/.test(whole + fraction)) return { kind: 'negative' };
  if (whole.length > MAX_INTEGER_DIGITS || fraction.length > MAX_FRACTION_DIGITS) {
    return {
      kind: 'invalid',
      reason: `has more than ${MAX_INTEGER_DIGITS} digits before or ${MAX_FRACTION_DIGITS} after the point`,
    };
  }
  return { kind: 'amount', digits: fraction === '' ? whole : `${whole === '' ? '0' : whole}.${fraction}` };
}

function reasonAgainst(text: string): string {
  if (text === '') return 'is empty';
  if (DECIMAL_COMMA.test(text)) return 'has a comma as decimal sign; write a point, as in 9.99';
  return 'is not a decimal number such as 1234.5';
}

const CURRENCY = /^[A-Za-z]{3}$/;

/** Three letters, upper-cased, or undefined. */
export function parseCurrency(text: string): string | undefined {
  return CURRENCY.test(text) ? text.toUpperCase() : undefined;
}

/** Trimmed; the one `'` that keeps a spreadsheet from reading a formula is taken off again. */
export function parseText(text: string): string {
  const trimmed = text.trim();
  return /^'[=+\-@]/.test(trimmed) ? trimmed.slice(1) : trimmed;
}
