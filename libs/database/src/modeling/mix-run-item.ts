import type { MixRunItem } from '#contracts/modeling/mix-run.js';
import { dateText, wholeSeconds } from './row-reader.js';

/** A row of modeling.run by MIX_RUN_COLUMNS. */
export interface MixRunRow extends Omit<
  MixRunItem,
  'generated' | 'created_at' | 'started_at' | 'finished_at' | 'warnings' | 'calibrated_channels'
> {
  generated: Date | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  warnings: string[] | null;
  calibrated_channels: string[] | null;
}

export const MIX_RUN_COLUMNS = `run_id, target, status, trigger, trust_tier, n_weeks, n_channels, generated, r2, mape, converged, warnings,
  ${dateText('window_from')} AS window_from, ${dateText('window_to')} AS window_to, currency, interval_level AS "interval",
  baseline_share, holdout_mape, calibrated_channels, seed, model_version,
  created_at, started_at, finished_at, requested_by, same_as, error_code, error`;

/** What the row says, in the order of its columns, which JSON keeps. */
export function mixRunItem({ generated, created_at, started_at, finished_at, ...row }: MixRunRow): MixRunItem {
  return {
    ...row,
    generated: generated && wholeSeconds(generated),
    created_at: created_at.toISOString(),
    started_at: started_at?.toISOString() ?? null,
    finished_at: finished_at?.toISOString() ?? null,
  };
}
