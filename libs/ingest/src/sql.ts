import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import copyStreams from 'pg-copy-streams';

const DAY_US = 86_400_000_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
/** Those of 200 years at most: no collected time lies outside. */
const dates = new Map<number, string>();

const CHUNK_LINES = 500;
const NEEDS_ESCAPE = /[\\\t\n\r]/;
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A cell of COPY's text format; null is `\N`. */
export function copyCell(text: string | null): string {
  if (text === null) return '\\N';
  return NEEDS_ESCAPE.test(text) ? text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? '') : text;
}

/** Runs `COPY … FROM STDIN` with lines of the text format, each with its line end. */
export async function copyLines(client: PoolClient, statement: string, lines: Iterable<string>): Promise<void> {
  const copy = client.query(copyStreams.from(statement));
  const done = finished(copy);
  try {
    let chunk = '';
    let count = 0;
    for (const line of lines) {
      chunk += line;
      if (++count % CHUNK_LINES !== 0) continue;
      // A failed COPY never drains.
      if (!copy.write(chunk)) await Promise.race([once(copy, 'drain'), done]);
      chunk = '';
    }
    copy.end(chunk);
  } catch (error) {
    // The server waits for lines until it is told that none will come.
    copy.destroy(error as Error);
    await done.catch(() => undefined);
    throw error;
  }
  await done;
}

/** `{1,2}`: an array parameter of numbers; pg would look at each of them for quotes. */
export function numbers(values: Iterable<number>): string {
  return `{${Array.isArray(values) ? values.join(',') : [...values].join(',')}}`;
}

/** The same, where undefined and null are NULL. */
export function nullable(values: readonly (number | null | undefined)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

/** An array parameter of texts. */
export function texts(values: Iterable<string | null>): string {
  const quoted: string[] = [];
  for (const value of values) quoted.push(value === null ? 'NULL' : `"${value.replace(/["\\]/g, '\\$&')}"`);
  return `{${quoted.join(',')}}`;
}

/** `timestamptz` in microseconds since 1970, as text. */
export function microseconds(column: string): string {
  return `(extract(epoch FROM ${column}) * 1000000)::bigint`;
}

/** Microseconds since 1970 as PostgreSQL reads them: RFC 3339. By hand, since it runs for every row. */
export function timestamp(us: number): string {
  const day = Math.floor(us / DAY_US);
  const rest = us - day * DAY_US;
  const seconds = Math.floor(rest / 1_000_000);
  const minutes = Math.floor(seconds / 60);
  const fraction = String(rest - seconds * 1_000_000 + 1_000_000).slice(1);
  const hours = Math.floor(minutes / 60);
  return `${date(day)}T${two(hours)}:${two(minutes - hours * 60)}:${two(seconds - minutes * 60)}.${fraction}Z`;
}

/** Days since 1970 as `YYYY-MM-DD`. */
export function date(day: number): string {
  let text = dates.get(day);
  if (text === undefined) {
    text = new Date(day * 86_400_000).toISOString().slice(0, 10);
    dates.set(day, text);
  }
  return text;
}

function two(number: number): string {
  return TWO_DIGITS[number] ?? '';
}
