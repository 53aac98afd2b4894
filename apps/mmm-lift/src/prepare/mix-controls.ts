import type { RowReader } from '#database/modeling/row-reader.js';
import { RunFailure } from '#contracts/modeling/run-state.js';
import { byText } from './amount.js';
import { sundayOf } from './calendar.js';

export interface ControlRow {
  name: string;
  /** Any day of the week. */
  day: string;
  value: number;
}

/** All of them, in no order: one that ends before the window is a gap. */
export async function readControls(read: RowReader, assetId: string): Promise<ControlRow[]> {
  return read<ControlRow>(
    `SELECT name, to_char(week_end, 'YYYY-MM-DD') AS day, value FROM modeling.control WHERE asset_id = $1`,
    [assetId],
  );
}

/**
 * Controls for each week of the window, by name. Several values of one week are averaged.
 *
 * @throws RunFailure control_gap when a control lacks a week of the window
 */
export function mixControls(
  rows: readonly ControlRow[],
  weeks: readonly string[],
): { name: string; values: number[] }[] {
  const controls = new Map<string, Map<string, number[]>>();
  for (const { name, day, value } of [...rows].sort((a, b) => byText(a.name, b.name) || byText(a.day, b.day))) {
    const byWeek = controls.get(name) ?? new Map<string, number[]>();
    controls.set(name, byWeek);
    const weekEnd = sundayOf(day);
    byWeek.set(weekEnd, [...(byWeek.get(weekEnd) ?? []), value]);
  }
  return [...controls].map(([name, byWeek]) => ({
    name,
    values: weeks.map((week_end) => {
      const values = byWeek.get(week_end);
      if (values === undefined) throw new RunFailure('control_gap', { control: name, week_end });
      return values.reduce((sum, value) => sum + value, 0) / values.length;
    }),
  }));
}
