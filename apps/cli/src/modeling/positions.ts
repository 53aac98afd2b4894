import { dayNumber, dayText } from '#contracts/calendar-day.js';
import { CommandFailure } from '../session.js';
import { parseDay } from './parse-day.js';
import type { CsvTable } from './read-table.js';

const WHOLE = /^\d{1,9}$/;
/** With fewer of them the gaps are the rule (business days, months), and rows count as they come. */
const LEAST_FILLED = 0.8;

/** The evenly spaced periods of a file, oldest first. */
export interface SeriesGrid {
  /** Dates, the numbers of the column, or row numbers. */
  labels: string[];
  step: 'day' | 'week' | 'row';
  /** For each row of the file its period. */
  positions: number[];
  /** For each period that has a row, in the order of a wide file or of time in a long one: what `row 1` and so on mean. */
  numbered: number[];
}

/**
 * Finds the periods: days or weeks when the dates lie that far apart, with those that have no row; else the rows as they
 * come, sorted by date or number.
 *
 * @throws CommandFailure when the column holds neither dates nor whole numbers
 */
export function seriesGrid(table: CsvTable, date: string | undefined, isLong: boolean): SeriesGrid {
  if (date === undefined) {
    const rows = table.rows.map((_, row) => row);
    return { labels: rows.map((row) => String(row + 1)), step: 'row', positions: rows, numbered: rows };
  }
  const column = table.column(date);
  const isNumbers = table.rows.every((row) => WHOLE.test(table.text(row, column)));
  const times = table.rows.map((row) =>
    isNumbers ? Number(table.text(row, column)) : dayNumber(table.day(row, column)),
  );
  const { axis, step } = axisOf(
    [...new Set(times)].sort((a, b) => a - b),
    !isNumbers,
  );
  const positionOfTime = new Map(axis.map((time, position) => [time, position]));
  const positions = times.map((time) => positionOfTime.get(time) ?? 0);
  return {
    labels: axis.map((time) => (isNumbers ? String(time) : dayText(time))),
    step,
    positions,
    numbered: isLong ? [...new Set(positions)].sort((a, b) => a - b) : positions,
  };
}

function axisOf(times: readonly number[], areDays: boolean): { axis: number[]; step: SeriesGrid['step'] } {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  const width = areDays && gaps.every((gap) => gap % 7 === 0) ? 7 : 1;
  const length = (last - first) / width + 1;
  if (times.length < LEAST_FILLED * length) return { axis: [...times], step: 'row' };
  const axis = Array.from({ length }, (_, position) => first + position * width);
  return { axis, step: !areDays ? 'row' : width === 7 ? 'week' : 'day' };
}

/**
 * The period that a date, a number of the column, or else a row number from 1 means; of a date without a row the next one
 * inside the test.
 *
 * @param side whether the period begins or ends what is asked for
 * @throws CommandFailure when there is none
 */
export function positionOf({ labels, numbered }: SeriesGrid, text: string, side: 'first' | 'last'): number {
  const [oldest = '', newest = ''] = [labels[0], labels.at(-1)];
  const day = parseDay(text);
  const isDated = parseDay(oldest) !== undefined;
  const found =
    day === undefined || !isDated
      ? labels.indexOf(text)
      : side === 'first'
        ? labels.findIndex((label) => label >= day)
        : labels.findLastIndex((label) => label <= day);
  const position = found < 0 && WHOLE.test(text) ? (numbered[Number(text) - 1] ?? -1) : found;
  if (position >= 0) return position;
  throw new CommandFailure(
    `${JSON.stringify(text)} is no date or row number of the file, which goes from ${oldest} to ${newest}.`,
  );
}
