/** Digits that a stored amount holds before and after the point, the same as of costs. */
const MAX_INTEGER_DIGITS = 15;
const MAX_FRACTION_DIGITS = 6;
/** What a JSON number is sure to keep through any parser. */
const SAFE_NUMBER_DIGITS = 15;

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d+))?$/;

/** `reason` continues «value …». */
export type Money = { digits: string } | { reason: string };

/**
 * A decimal of either sign, given as number or text; the digits of a text stay as sent. A number has been through a
 * JSON parser, which keeps 15 digits: one that shows more may have been another, so it is refused.
 */
export function parseMoney(value: unknown): Money {
  if (typeof value === 'number') return parseNumber(value);
  if (typeof value !== 'string') return { reason: 'is neither a number nor a text' };
  return parseDecimal(value);
}

function parseNumber(value: number): Money {
  const money = parseDecimal(String(value));
  if ('digits' in money && money.digits.replace(/^-?0*\.?0*|\./g, '').length > SAFE_NUMBER_DIGITS)
    return { reason: `has more than ${SAFE_NUMBER_DIGITS} digits; send it as a text` };
  return money;
}

function parseDecimal(text: string): Money {
  const [, sign = '', whole = '', fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === '' && fraction === '') return { reason: 'is not a decimal number such as 1234.5' };
  if (whole.length > MAX_INTEGER_DIGITS || fraction.length > MAX_FRACTION_DIGITS)
    return { reason: `has more than ${MAX_INTEGER_DIGITS} digits before or ${MAX_FRACTION_DIGITS} after the point` };
  const digits = fraction === '' ? whole : `${whole === '' ? '0' : whole}.${fraction}`;
  return { digits: sign === '-' ? `-${digits}` : digits };
}
