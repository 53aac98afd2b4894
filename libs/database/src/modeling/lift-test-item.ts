import type { LiftTestItem } from '#contracts/modeling/lift-test.js';
import { dateText, wholeSeconds } from './row-reader.js';

/** A row by LIFT_TEST_COLUMNS. */
export interface LiftTestRow extends Omit<LiftTestItem, 'generated' | 'created_at' | 'started_at' | 'finished_at'> {
  generated: Date | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

/** What the request says already stands in a test without numbers, too. */
export const LIFT_TEST_COLUMNS = `test_id, t.name, t.metric, t.channels, method, t.status,
  COALESCE(${dateText('r.pre_from')}, t.request ->> 'pre_from') AS pre_from,
  ${dateText('COALESCE(r.pre_to, t.test_from - 1)')} AS pre_to, ${dateText('COALESCE(r.test_from, t.test_from)')} AS test_from,
  COALESCE(${dateText('r.test_to')}, t.request ->> 'test_to') AS test_to,
  COALESCE(n_days, t.window_to - t.test_from + 1) AS n_days, confidence_level,
  observed_total, counterfactual_total, lift_total, lift_lo, lift_hi, lift_pct, p_value, currency, generated,
  trust_tier, COALESCE(treated, ARRAY(SELECT json_array_elements_text(t.request -> 'treated'))) AS treated, n_controls,
  COALESCE(r.tail_days, (t.request ->> 'tail_days')::integer) AS tail_days, lift_pct_lo, lift_pct_hi,
  calibration_factor, mde_pct, organic_shift, organic_shift_lo, organic_shift_hi, warnings, t.seed, model_version,
  spend_window, incremental_roas, incremental_roas_lo, incremental_roas_hi, cpa,
  created_at, started_at, finished_at, requested_by, error_code, error`;

export const LIFT_TEST_TABLES = 'modeling.lift_test t LEFT JOIN modeling.lift_result r USING (asset_id, test_id)';

/** What the row says, in the order of its columns, which JSON keeps. */
export function liftTestItem({ generated, created_at, started_at, finished_at, ...row }: LiftTestRow): LiftTestItem {
  return {
    ...row,
    generated: generated && wholeSeconds(generated),
    created_at: created_at.toISOString(),
    started_at: started_at?.toISOString() ?? null,
    finished_at: finished_at?.toISOString() ?? null,
  };
}
