import type { Column } from '#csv/column.js';
import type { LiftDay } from '../modeling/lift-test.js';

function decimal(key: Exclude<keyof LiftDay, 'day'>): Column<LiftDay> {
  return { key, header: key, type: 'decimal', decimals: 2, value: (day) => day[key] };
}

/** The table of `lift-<8>.csv`. */
export const LIFT_DAYS_LAYOUT: readonly Column<LiftDay>[] = [
  { key: 'day', header: 'day', type: 'id', value: ({ day }) => day },
  decimal('observed'),
  decimal('counterfactual'),
  decimal('cf_lo'),
  decimal('cf_hi'),
  decimal('lift'),
  decimal('organic'),
  decimal('spend_window'),
  decimal('incremental_roas'),
  decimal('cpa'),
];

/** Only in the file of a test with spend, and not for members with the cost data restriction. */
export const LIFT_COST_KEYS: readonly string[] = ['spend_window', 'incremental_roas', 'cpa'];
