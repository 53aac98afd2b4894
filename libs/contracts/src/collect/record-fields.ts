import { isIP } from 'node:net';
import { isWholeText, isLongerThan } from '../text.js';
import {
  MAX_LIST_CHARACTERS,
  MAX_LIST_ENTRIES,
  type CheckedRecord,
  type CollectCode,
  type CollectIssue,
} from './collected.js';
import { parseInstant } from './instant.js';
import { parseMoney } from './money.js';

const MAX_CHARACTERS = 256;
const EXAMPLE_TIME = '2026-01-31T09:30:00Z';

/** What JSON gives for a record. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Arrays are none: a record has named fields. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const NO_OBJECT: CheckedRecord<never> = {
  issue: { field: '', code: 'invalid_json', message: 'The record is no JSON object.' },
};

/**
 * Reads the fields of one record in the order in which they are asked for, and keeps the first thing that is wrong;
 * what it answers after that is of no use. An object and no exceptions, since it runs for every record.
 */
export class RecordFields {
  private issue: CollectIssue | undefined;
  private ipDropped = false;

  constructor(private readonly source: JsonObject) {}

  /** The finished record, or why there is none. */
  end<T>(record: T): CheckedRecord<T> {
    return this.issue === undefined ? { record, ipDropped: this.ipDropped } : { issue: this.issue };
  }

  required(field: string, maxCharacters = MAX_CHARACTERS): string {
    const value = this.source[field];
    if (isAbsent(value)) {
      this.refuse(field, 'missing_field', `${field} is missing.`);
      return '';
    }
    return this.text(field, value, maxCharacters) ?? '';
  }

  optional(field: string, maxCharacters = MAX_CHARACTERS): string | null {
    const value = this.source[field];
    return isAbsent(value) ? null : this.text(field, value, maxCharacters);
  }

  /** @returns microseconds since 1970 of a text that was read before */
  instant(field: string, text: string): number {
    if (this.issue !== undefined) return 0;
    const instant = parseInstant(text);
    if (instant !== undefined) return instant;
    this.refuse(
      field,
      'invalid_value',
      `${field} is not a date and time of the years 1900 to 2100 as in RFC 3339, such as ${EXAMPLE_TIME}.`,
    );
    return 0;
  }

  optionalTime(field: string): string | null {
    const text = this.optional(field);
    if (text !== null) this.instant(field, text);
    return text;
  }

  requiredTime(field: string): string {
    const text = this.required(field);
    this.instant(field, text);
    return text;
  }

  /** A text that is no IP address is dropped. A zone (`fe80::1%eth0`) means something on one machine only, so that is none. */
  ip(): string | null {
    const value = this.source.ip;
    if (isAbsent(value)) return null;
    if (typeof value !== 'string') {
      this.refuse('ip', 'invalid_value', 'ip is not a text.');
      return null;
    }
    if (isIP(value) !== 0 && !value.includes('%')) return value;
    this.ipDropped = true;
    return null;
  }

  /** A decimal, as number or text. */
  money(field: string): string | null {
    const value = this.source[field];
    if (isAbsent(value)) return null;
    const money = parseMoney(value);
    if ('digits' in money) return money.digits;
    this.refuse(field, 'invalid_value', `${field} ${money.reason}.`);
    return null;
  }

  currency(field: string): string | null {
    const value = this.source[field];
    if (isAbsent(value)) return null;
    if (typeof value === 'string' && /^[A-Za-z]{3}$/.test(value)) return value.toUpperCase();
    this.refuse(field, 'invalid_value', `${field} is not three letters such as EUR.`);
    return null;
  }

  /** Texts that are not empty. Absent: none. */
  list(field: string): string[] {
    const value = this.source[field];
    if (isAbsent(value) || this.issue !== undefined) return [];
    if (!Array.isArray(value)) {
      this.refuse(field, 'invalid_value', `${field} is not an array of texts.`);
      return [];
    }
    if (value.length > MAX_LIST_ENTRIES) {
      this.refuse(field, 'field_too_long', `${field} has more than ${MAX_LIST_ENTRIES} members.`);
      return [];
    }
    let characters = 0;
    for (const member of value as unknown[]) {
      const text = isAbsent(member) ? null : this.text(field, member, MAX_CHARACTERS);
      if (text === null) {
        this.refuse(field, 'invalid_value', `${field} has an empty member.`);
        return [];
      }
      characters += text.length;
    }
    if (characters <= MAX_LIST_CHARACTERS) return value as string[];
    this.refuse(field, 'field_too_long', `${field} has more than ${MAX_LIST_CHARACTERS} characters in all.`);
    return [];
  }

  refuse(field: string, code: CollectCode, message: string): void {
    this.issue ??= { field, code, message };
  }

  private text(field: string, value: unknown, maxCharacters: number): string | null {
    if (typeof value !== 'string') this.refuse(field, 'invalid_value', `${field} is not a text.`);
    else if (!isWholeText(value))
      this.refuse(field, 'invalid_value', `${field} has a NUL or half of a surrogate pair in it.`);
    else if (isLongerThan(value, maxCharacters))
      this.refuse(field, 'field_too_long', `${field} has more than ${maxCharacters} characters.`);
    else return value;
    return null;
  }
}

function isAbsent(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}
