import type { EntityManager } from 'typeorm';
import type { LiftNumbers } from '#contracts/modeling/lift-test.js';
import { exactJson } from './exact-json.js';

/**
 * Writes what a test that has no numbers yet was found to show. Its state is ended by the caller, in the same transaction.
 *
 * @param generated when the numbers were made
 * @throws RangeError for a number that is not finite
 */
export async function writeLiftNumbers(
  manager: EntityManager,
  assetId: string,
  testId: string,
  { days, ...result }: LiftNumbers,
  generated: Date,
): Promise<void> {
  await manager.query(INSERT_RESULT, [assetId, testId, exactJson(result), generated]);
  await manager.query(INSERT_DAYS, [assetId, testId, exactJson(days)]);
}

const RESULT = `model_version, method, pre_from, pre_to, test_from, test_to, n_days, confidence_level, observed_total, counterfactual_total,
  lift_total, lift_lo, lift_hi, lift_pct, lift_pct_lo, lift_pct_hi, p_value, currency, trust_tier, treated, n_controls, tail_days,
  calibration_factor, mde_pct, organic_shift, organic_shift_lo, organic_shift_hi, warnings, spend_window, incremental_roas,
  incremental_roas_lo, incremental_roas_hi, cpa, diagnostics`;

const INSERT_RESULT = `
  INSERT INTO modeling.lift_result (asset_id, test_id, ${RESULT}, generated)
  SELECT $1, $2, ${RESULT}, $4::timestamptz
    FROM json_to_record($3::json) AS result(
      model_version text, method text, pre_from date, pre_to date, test_from date, test_to date, n_days integer,
      confidence_level float8, observed_total float8, counterfactual_total float8, lift_total float8, lift_lo float8, lift_hi float8,
      lift_pct float8, lift_pct_lo float8, lift_pct_hi float8, p_value float8, currency text, trust_tier text, treated text[],
      n_controls integer, tail_days integer, calibration_factor float8, mde_pct float8, organic_shift float8,
      organic_shift_lo float8, organic_shift_hi float8, warnings text[], spend_window float8, incremental_roas float8,
      incremental_roas_lo float8, incremental_roas_hi float8, cpa float8, diagnostics json)`;

const DAY = `day, observed, counterfactual, cf_lo, cf_hi, lift, organic, spend_window, incremental_roas, cpa`;

const INSERT_DAYS = `
  INSERT INTO modeling.lift_day (asset_id, test_id, ${DAY})
  SELECT $1, $2, ${DAY}
    FROM json_to_recordset($3::json) AS days(
      day date, observed float8, counterfactual float8, cf_lo float8, cf_hi float8, lift float8, organic float8,
      spend_window float8, incremental_roas float8, cpa float8)`;
