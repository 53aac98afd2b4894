import { InvalidArgumentError } from 'commander';

const HIGHEST_SEED = 2_147_483_647;

/** @throws InvalidArgumentError unless it is a whole number from 1 to 2,147,483,647 */
export function seed(text: string): number {
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(number >= 1 && number <= HIGHEST_SEED)) {
    throw new InvalidArgumentError(`Give a whole number from 1 to ${HIGHEST_SEED}.`);
  }
  return number;
}

/** Days of a week when rows are days, else 1. @throws InvalidArgumentError */
export function period(text: string): 7 | 1 {
  if (text === '7') return 7;
  if (text === '1') return 1;
  throw new InvalidArgumentError('Give 7 for days or 1 for anything else.');
}
