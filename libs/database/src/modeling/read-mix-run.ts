import type {
  MixChannel,
  MixCurvePoint,
  MixDiagnostics,
  MixRun,
  MixTest,
  MixWeek,
} from '#contracts/modeling/mix-run.js';
import { MIX_RUN_COLUMNS, mixRunItem, type MixRunRow } from './mix-run-item.js';
import { dateText, type RowReader } from './row-reader.js';

/** What is read on request only; `diagnostics` brings the tests that the model used, too. */
export type MixRunInclude = 'weeks' | 'curves' | 'diagnostics';

/**
 * A run with its channels in the order of the file, to the last bit as they were written; a run without numbers has no
 * channels. Undefined: the asset has no such run.
 */
export async function readMixRun(
  read: RowReader,
  assetId: string,
  runId: string,
  include: ReadonlySet<MixRunInclude> = new Set(),
): Promise<MixRun | undefined> {
  const key = [assetId, runId];
  const [row] = await read<MixRunRow>(
    `SELECT ${MIX_RUN_COLUMNS} FROM modeling.run WHERE asset_id = $1 AND run_id = $2`,
    key,
  );
  if (row === undefined) return undefined;
  const run: MixRun = { ...mixRunItem(row), channels: await readChannels(read, key) };
  if (include.has('weeks')) run.weeks = await readWeeks(read, key);
  if (include.has('curves')) run.curves = await readCurves(read, key);
  if (include.has('diagnostics')) {
    run.tests = await readTests(read, key);
    const diagnostics = await readDiagnostics(read, key);
    if (diagnostics !== null) run.diagnostics = diagnostics;
  }
  return run;
}

function readChannels(read: RowReader, key: string[]): Promise<MixChannel[]> {
  return read<MixChannel>(
    `SELECT channel, family, identified, contribution, contribution_share, contribution_share_lo, contribution_share_hi,
            spend, roi, roi_lo, roi_hi, mroi, mroi_lo, mroi_hi, cpa, reasons
       FROM modeling.run_channel WHERE asset_id = $1 AND run_id = $2 ORDER BY position`,
    key,
  );
}

function readWeeks(read: RowReader, key: string[]): Promise<MixWeek[]> {
  return read<MixWeek>(
    `SELECT ${dateText('week_end')} AS week_end, observed, baseline, fitted, contributions
       FROM modeling.run_week w WHERE asset_id = $1 AND run_id = $2 ORDER BY w.week_end`,
    key,
  );
}

function readCurves(read: RowReader, key: string[]): Promise<MixCurvePoint[]> {
  return read<MixCurvePoint>(
    `SELECT channel, multiplier, response, lo, hi
       FROM modeling.run_curve WHERE asset_id = $1 AND run_id = $2 ORDER BY position`,
    key,
  );
}

function readTests(read: RowReader, key: string[]): Promise<MixTest[]> {
  return read<MixTest>(
    `SELECT test_id, channel, value, se, predicted, z
       FROM modeling.run_test WHERE asset_id = $1 AND run_id = $2 ORDER BY position`,
    key,
  );
}

async function readDiagnostics(read: RowReader, key: string[]): Promise<MixDiagnostics | null> {
  const [row] = await read<{ diagnostics: MixDiagnostics | null }>(
    'SELECT diagnostics FROM modeling.run WHERE asset_id = $1 AND run_id = $2',
    key,
  );
  return row?.diagnostics ?? null;
}
