import { InvalidArgumentError } from 'commander';

const LONGEST_DAYS = 36_500;
const MOST_ITEMS = 10_000;

/** `a,b` as its parts, each once; empty text is an empty list. */
export function list(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ''))];
}

/** @throws InvalidArgumentError for a list without parts */
export function filledList(text: string): string[] {
  const parts = list(text);
  if (parts.length === 0) throw new InvalidArgumentError('Give at least one.');
  return parts;
}

/** Days from now, up to a hundred years; a part of a day is possible. */
export function days(text: string): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (!(number > 0 && number <= LONGEST_DAYS)) {
    throw new InvalidArgumentError(`Give a number over 0 and up to ${LONGEST_DAYS}.`);
  }
  return number;
}

/** How many items to show, 1 to 10,000. */
export function count(text: string): number {
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(number >= 1 && number <= MOST_ITEMS)) {
    throw new InvalidArgumentError(`Give a whole number from 1 to ${MOST_ITEMS}.`);
  }
  return number;
}
