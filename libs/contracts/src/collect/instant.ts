const MIN_YEAR = 1900;
const MAX_YEAR = 2100;
const SECOND_US = 1_000_000;
const FRACTION_DIGITS = 6;

const DASH = 0x2d;
const DOT = 0x2e;
const COLON = 0x3a;
const PLUS = 0x2b;
const UPPER_T = 0x54;
const LOWER_T = 0x74;
const UPPER_Z = 0x5a;
const LOWER_Z = 0x7a;
const NOT_DIGITS = -1;

/**
 * The instant of an RFC 3339 date-time of the years 1900 to 2100, as whole microseconds since 1970 (UTC); digits beyond
 * are cut. `t` and `z` may be lower-case, `-00:00` is UTC. Read by hand: it runs for every collected record.
 *
 * A leap second exists only as 23:59:60 UTC at the end of a month; like POSIX and PostgreSQL do, it is taken for the
 * first second of the next day, since neither counts it.
 *
 * @returns undefined for anything else: no real day, no offset, other forms of ISO 8601
 */
export function parseInstant(text: string): number | undefined {
  if (
    text.length < 20 ||
    text.charCodeAt(4) !== DASH ||
    text.charCodeAt(7) !== DASH ||
    text.charCodeAt(13) !== COLON ||
    text.charCodeAt(16) !== COLON ||
    !isOneOf(text.charCodeAt(10), UPPER_T, LOWER_T)
  )
    return undefined;
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return undefined;
  const day = startOfDay(text);
  const fraction = fractionAt(text, 19);
  if (day === undefined || fraction === undefined) return undefined;
  const offset = offsetMinutes(text, fraction.end);
  if (offset === undefined) return undefined;
  const seconds = day + (hour * 60 + minute - offset) * 60 + second;
  if (second === 60 && !isMonthStart(seconds)) return undefined;
  return seconds * SECOND_US + fraction.microseconds;
}

/** Seconds since 1970 at which the real calendar day written at the start begins in UTC. */
function startOfDay(text: string): number | undefined {
  const century = twoDigits(text, 0);
  const yearOfCentury = twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (century < 0 || yearOfCentury < 0) return undefined;
  const year = century * 100 + yearOfCentury;
  if (year < MIN_YEAR || year > MAX_YEAR || month < 1 || month > 12 || day < 1 || day > daysIn(year, month))
    return undefined;
  return Date.UTC(year, month - 1, day) / 1000;
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

interface Fraction {
  microseconds: number;
  /** Index behind it. */
  end: number;
}

/** The optional `.digits` at `at`. */
function fractionAt(text: string, at: number): Fraction | undefined {
  if (text.charCodeAt(at) !== DOT) return { microseconds: 0, end: at };
  let microseconds = 0;
  let end = at + 1;
  for (let digit = digitAt(text, end); digit !== NOT_DIGITS; digit = digitAt(text, end)) {
    if (end - at <= FRACTION_DIGITS) microseconds = microseconds * 10 + digit;
    end++;
  }
  if (end === at + 1) return undefined;
  for (let digits = end - at - 1; digits < FRACTION_DIGITS; digits++) microseconds *= 10;
  return { microseconds, end };
}

/** `Z` or `±hh:mm` from `at` to the end. */
function offsetMinutes(text: string, at: number): number | undefined {
  const sign = text.charCodeAt(at);
  if (isOneOf(sign, UPPER_Z, LOWER_Z)) return text.length === at + 1 ? 0 : undefined;
  if (!isOneOf(sign, PLUS, DASH) || text.length !== at + 6 || text.charCodeAt(at + 3) !== COLON) return undefined;
  const hours = twoDigits(text, at + 1);
  const minutes = twoDigits(text, at + 4);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return undefined;
  const offset = hours * 60 + minutes;
  return sign === PLUS ? offset : -offset;
}

function isMonthStart(seconds: number): boolean {
  const date = new Date(seconds * 1000);
  return date.getUTCDate() === 1 && seconds % 86_400 === 0;
}

function twoDigits(text: string, at: number): number {
  const tens = digitAt(text, at);
  const ones = digitAt(text, at + 1);
  return tens === NOT_DIGITS || ones === NOT_DIGITS ? NOT_DIGITS : tens * 10 + ones;
}

/** NaN, behind the end, is no digit either. */
function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - 0x30;
  return digit >= 0 && digit <= 9 ? digit : NOT_DIGITS;
}

function isOneOf(code: number, one: number, other: number): boolean {
  return code === one || code === other;
}
