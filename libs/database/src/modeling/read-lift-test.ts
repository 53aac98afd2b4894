import type { LiftDay, LiftNumbers, LiftRequest, LiftTest } from '#contracts/modeling/lift-test.js';
import { LIFT_TEST_COLUMNS, LIFT_TEST_TABLES, liftTestItem, type LiftTestRow } from './lift-test-item.js';
import { dateText, type RowReader } from './row-reader.js';

/** What is read on request only. */
export type LiftTestInclude = 'days' | 'diagnostics';

/**
 * A test with its request and its numbers, to the last bit as they were written; null where it has none yet. Undefined:
 * the asset has no such test.
 */
export async function readLiftTest(
  read: RowReader,
  assetId: string,
  testId: string,
  include: ReadonlySet<LiftTestInclude> = new Set(),
): Promise<LiftTest | undefined> {
  const key = [assetId, testId];
  const [row] = await read<LiftTestRow & { request: LiftRequest; diagnostics: LiftNumbers['diagnostics'] | null }>(
    `SELECT ${LIFT_TEST_COLUMNS}, t.request, r.diagnostics FROM ${LIFT_TEST_TABLES} WHERE asset_id = $1 AND test_id = $2`,
    key,
  );
  if (row === undefined) return undefined;
  const { request, diagnostics, ...values } = row;
  const test: LiftTest = { ...liftTestItem(values), request };
  if (include.has('days')) test.days = await readDays(read, key);
  if (include.has('diagnostics') && diagnostics !== null) test.diagnostics = diagnostics;
  return test;
}

function readDays(read: RowReader, key: string[]): Promise<LiftDay[]> {
  return read<LiftDay>(
    `SELECT ${dateText('day')} AS day, observed, counterfactual, cf_lo, cf_hi, lift, organic, spend_window, incremental_roas, cpa
       FROM modeling.lift_day d WHERE asset_id = $1 AND test_id = $2 ORDER BY d.day`,
    key,
  );
}
