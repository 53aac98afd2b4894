import { isLongerThan, isWholeText } from '#contracts/text.js';
import { DAY_FORM, isDay } from '../exports/date-range.js';
import { MemberFault, type ReadValue } from './body-members.js';

const MOST_CHARACTERS = 256;
/** As amounts of cost files: so many digits are stored. */
const DECIMAL = /^\d{1,15}(?:\.\d{1,6})?$/;
const BELOW_ZERO = /^-\d*\.?\d+(?:e[+-]?\d+)?$/i;

/** Text of 1 to `most` characters, trimmed. */
export function text(most = MOST_CHARACTERS): ReadValue<string> {
  return (value) => {
    const trimmed = typeof value === 'string' ? value.trim() : '';
    if (trimmed === '' || isLongerThan(trimmed, most) || !isWholeText(trimmed))
      throw new MemberFault(`must be text of 1 to ${most} characters`);
    return trimmed;
  };
}

export function wholeNumber(least: number, most: number): ReadValue<number> {
  return (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
      throw new MemberFault(`must be a whole number from ${least} to ${most}`);
    return value;
  };
}

/** A real date, `YYYY-MM-DD`. */
export function date(value: unknown): string {
  if (typeof value !== 'string' || !isDay(value)) throw new MemberFault(DAY_FORM);
  return value;
}

export function oneOf<T extends string>(values: readonly T[]): ReadValue<T> {
  return (value) => {
    const known = values.find((one) => one === value);
    if (known === undefined) throw new MemberFault(`must be one of ${values.join(', ')}`);
    return known;
  };
}

/** A decimal number of at least 0, given as number or text; its digits stay. */
export function decimal(value: unknown): string {
  const digits = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
  if (typeof digits === 'string' && DECIMAL.test(digits)) return digits;
  if (typeof digits === 'string' && BELOW_ZERO.test(digits)) throw new MemberFault('must not be negative');
  throw new MemberFault('must be a decimal number such as 12.5, of at most 15 digits before and 6 after the point');
}

/** A list without doubles. */
export function list<T>(read: ReadValue<T>, { least = 0, most }: { least?: number; most: number }): ReadValue<T[]> {
  return (value) => {
    if (!Array.isArray(value) || value.length < least || value.length > most)
      throw new MemberFault(`must be a list of ${least} to ${most}`);
    const items = value.map((item: unknown, index) => at(`[${index}]`, () => read(item)));
    const double = items.findIndex((item, index) => items.indexOf(item) < index);
    if (double >= 0) throw new MemberFault('is in the list already', `[${double}]`);
    return items;
  };
}

/** The members of an object inside a body, which has these and no others. */
export function members<Name extends string>(value: unknown, names: readonly Name[]): Record<Name, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MemberFault(`must be an object with ${names.join(' and ')}`);
  const unknown = Object.keys(value).find((name) => !names.some((known) => known === name));
  if (unknown !== undefined) throw new MemberFault('is not a member of this body', `.${unknown}`);
  return value as Record<Name, unknown>;
}

/** One of them, which may not be missing. */
export function memberOf<Name extends string, T>(object: Record<Name, unknown>, name: Name, read: ReadValue<T>): T {
  return at(`.${name}`, () => {
    const value = object[name];
    if (value === undefined || value === null) throw new MemberFault('is missing');
    return read(value);
  });
}

/** What is wrong there is told with its place. */
function at<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (fault) {
    if (fault instanceof MemberFault) throw new MemberFault(fault.message, `${place}${fault.place}`);
    throw fault;
  }
}
