import type { EntityManager } from 'typeorm';
import { inFileOrder } from '#contracts/layouts/mix-channels.layout.js';
import type { MixNumbers } from '#contracts/modeling/mix-run.js';
import { exactJson } from './exact-json.js';

/**
 * Writes what a model says of a run that has no numbers yet: its result rows and the result columns of its own row. Its
 * state is ended by the caller, in the same transaction.
 *
 * @param generated when the numbers were made
 * @throws RangeError for a number that is not finite, Error when there is no such run
 */
export async function writeMixNumbers(
  manager: EntityManager,
  assetId: string,
  runId: string,
  numbers: MixNumbers,
  generated: Date,
): Promise<void> {
  const { weeks, curves, tests } = numbers;
  const [, updated] = await manager.query<[unknown, number]>(UPDATE_RUN, [
    assetId,
    runId,
    exactJson(resultColumns(numbers)),
    generated,
  ]);
  if (updated !== 1) throw new Error(`There is no run ${runId}.`);
  const rows: [sql: string, rows: unknown[]][] = [
    [INSERT_CHANNELS, channelRows(numbers)],
    [INSERT_WEEKS, weeks],
    [INSERT_CURVES, curves.map((point, position) => ({ ...point, position }))],
    [INSERT_TESTS, tests.map((test, position) => ({ ...test, position }))],
  ];
  for (const [sql, items] of rows) if (items.length > 0) await manager.query(sql, [assetId, runId, exactJson(items)]);
}

function resultColumns(numbers: MixNumbers): object {
  const { interval: interval_level, ...others } = numbers;
  return { ...others, interval_level, channels: undefined, weeks: undefined, curves: undefined, tests: undefined };
}

/** In the order of the file, with what the diagnostics say of each. */
function channelRows({ channels, diagnostics }: MixNumbers): object[] {
  const details = new Map(diagnostics.channels.map((detail) => [detail.channel, detail]));
  return inFileOrder(channels).map((row, position) => ({ ...details.get(row.channel), ...row, position }));
}

const UPDATE_RUN = `
  UPDATE modeling.run r
     SET (trust_tier, n_weeks, n_channels, r2, mape, converged, warnings, window_from, window_to, currency, interval_level,
          baseline_share, holdout_mape, calibrated_channels, seed, model_version, diagnostics, generated) = (
       SELECT trust_tier, n_weeks, n_channels, r2, mape, converged, warnings, window_from, window_to, currency, interval_level,
              baseline_share, holdout_mape, calibrated_channels, seed, model_version, diagnostics, $4::timestamptz
         FROM json_to_record($3::json) AS result(
           trust_tier text, n_weeks integer, n_channels integer, r2 float8, mape float8, converged boolean, warnings text[],
           window_from date, window_to date, currency text, interval_level float8, baseline_share float8, holdout_mape float8,
           calibrated_channels text[], seed integer, model_version text, diagnostics json))
   WHERE r.asset_id = $1 AND r.run_id = $2`;

const CHANNEL = `channel, family, identified, contribution, contribution_share, contribution_share_lo, contribution_share_hi, spend,
  roi, roi_lo, roi_hi, mroi, mroi_lo, mroi_hi, cpa, p_effect, rhat, alpha_mean, reasons`;

const INSERT_CHANNELS = `
  INSERT INTO modeling.run_channel (asset_id, run_id, position, ${CHANNEL})
  SELECT $1, $2, position, ${CHANNEL}
    FROM json_to_recordset($3::json) AS channels(
      position integer, channel text, family text, identified boolean, contribution float8, contribution_share float8,
      contribution_share_lo float8, contribution_share_hi float8, spend float8, roi float8, roi_lo float8, roi_hi float8,
      mroi float8, mroi_lo float8, mroi_hi float8, cpa float8, p_effect float8, rhat float8, alpha_mean float8, reasons text[])`;

const INSERT_WEEKS = `
  INSERT INTO modeling.run_week (asset_id, run_id, week_end, observed, baseline, fitted, contributions)
  SELECT $1, $2, week_end, observed, baseline, fitted, contributions
    FROM json_to_recordset($3::json) AS weeks(week_end date, observed float8, baseline float8, fitted float8, contributions json)`;

const INSERT_CURVES = `
  INSERT INTO modeling.run_curve (asset_id, run_id, position, channel, multiplier, response, lo, hi)
  SELECT $1, $2, position, channel, multiplier, response, lo, hi
    FROM json_to_recordset($3::json) AS curves(
      position integer, channel text, multiplier float8, response float8, lo float8, hi float8)`;

const INSERT_TESTS = `
  INSERT INTO modeling.run_test (asset_id, run_id, position, test_id, channel, value, se, predicted, z)
  SELECT $1, $2, position, test_id, channel, value, se, predicted, z
    FROM json_to_recordset($3::json) AS tests(
      position integer, test_id uuid, channel text, value float8, se float8, predicted float8, z float8)`;
