import type { Column } from '#csv/column.js';
import type { MixRunItem } from '../modeling/mix-run.js';

/** What the summary block of a mix file says; the run of a plain file may have no id. */
export type MixSummary = Omit<MixRunItem, 'run_id' | RunState> & { run_id: string | null };

/** Members of a run that tell of its way and not of its numbers. */
type RunState =
  | 'status'
  | 'trigger'
  | 'created_at'
  | 'started_at'
  | 'finished_at'
  | 'requested_by'
  | 'same_as'
  | 'error_code'
  | 'error';

/** A fraction or an amount. */
const DECIMALS = 4;

/** The keys and values above the table of `mmm-<8>.csv`, in order. */
export const MIX_SUMMARY_LAYOUT: readonly Column<MixSummary>[] = [
  { key: 'title', header: 'title', type: 'id', value: () => 'Marketing mix model' },
  { key: 'run_id', header: 'run_id', type: 'id', value: (run) => run.run_id },
  { key: 'target', header: 'target', type: 'text', value: (run) => run.target },
  { key: 'trust_tier', header: 'trust_tier', type: 'id', value: (run) => run.trust_tier },
  { key: 'n_weeks', header: 'n_weeks', type: 'integer', value: (run) => run.n_weeks },
  { key: 'n_channels', header: 'n_channels', type: 'integer', value: (run) => run.n_channels },
  { key: 'generated', header: 'generated', type: 'timestamp', value: (run) => run.generated },
  { key: 'r2', header: 'r2', type: 'decimal', decimals: DECIMALS, value: (run) => run.r2 },
  { key: 'mape', header: 'mape', type: 'decimal', decimals: DECIMALS, value: (run) => run.mape },
  { key: 'converged', header: 'converged', type: 'boolean', value: (run) => run.converged },
  { key: 'warnings', header: 'warnings', type: 'text', value: (run) => run.warnings?.join(';') },
  { key: 'window_from', header: 'window_from', type: 'id', value: (run) => run.window_from },
  { key: 'window_to', header: 'window_to', type: 'id', value: (run) => run.window_to },
  { key: 'currency', header: 'currency', type: 'text', value: (run) => run.currency },
  { key: 'interval', header: 'interval', type: 'decimal', decimals: DECIMALS, value: (run) => run.interval },
  {
    key: 'baseline_share',
    header: 'baseline_share',
    type: 'decimal',
    decimals: DECIMALS,
    value: (run) => run.baseline_share,
  },
  {
    key: 'holdout_mape',
    header: 'holdout_mape',
    type: 'decimal',
    decimals: DECIMALS,
    value: (run) => run.holdout_mape,
  },
  {
    key: 'calibrated_channels',
    header: 'calibrated_channels',
    type: 'text',
    value: (run) => run.calibrated_channels?.join(';'),
  },
  { key: 'seed', header: 'seed', type: 'integer', value: (run) => run.seed },
  { key: 'model_version', header: 'model_version', type: 'id', value: (run) => run.model_version },
];
