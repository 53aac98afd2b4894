import type { ChannelFamily } from '../channels/platforms.js';
import type { RunError, RunStatus, TrustTier } from './run-state.js';

export const MIX_TRIGGERS = ['request', 'cost_import', 'lift_test'] as const;
export type MixTrigger = (typeof MIX_TRIGGERS)[number];

/**
 * What the model says of one channel. Points are posterior means, `_lo` and `_hi` the 5 % and 95 % quantiles. Null:
 * unknown. Money is in the currency of the run.
 */
export interface MixChannel {
  /** The most frequent spelling. */
  channel: string;
  family: ChannelFamily;
  /** Whether the data tell its effect from chance and from other channels; `reasons` says why not. */
  identified: boolean;
  /** In units of the target. */
  contribution: number | null;
  /** A fraction of the target. */
  contribution_share: number | null;
  contribution_share_lo: number | null;
  contribution_share_hi: number | null;
  spend: number;
  /** Return per unit of spend; for counts it needs a conversion value. */
  roi: number | null;
  roi_lo: number | null;
  roi_hi: number | null;
  /** Return of the next unit of spend. */
  mroi: number | null;
  mroi_lo: number | null;
  mroi_hi: number | null;
  cpa: number | null;
  /** Why it is not identified. */
  reasons: string[];
}

/** A week, in units of the target. `observed` is null in a week without any event. */
export interface MixWeek {
  /** Its Sunday. */
  week_end: string;
  observed: number | null;
  baseline: number;
  fitted: number;
  /** By channel. */
  contributions: Record<string, number>;
}

/** What a channel would have brought at a multiple of its spend. */
export interface MixCurvePoint {
  channel: string;
  multiplier: number;
  response: number;
  lo: number;
  hi: number;
}

/** A lift test as the model used it: returns per unit of tested spend, in units of the target. */
export interface MixTest {
  /** Null for a test of a file. */
  test_id: string | null;
  channel: string;
  value: number;
  se: number;
  /** What the model said before it knew the test. */
  predicted: number;
  /** |predicted - value| / se */
  z: number;
}

/** The numbers of a fitted model; the same for a run of the service and for a file. */
export interface MixNumbers {
  trust_tier: TrustTier;
  /** Weeks in the likelihood. */
  n_weeks: number;
  n_channels: number;
  /** In sample. */
  r2: number | null;
  mape: number | null;
  converged: boolean;
  warnings: string[];
  /** The Monday of the first week and the Sunday of the last. */
  window_from: string;
  window_to: string;
  currency: string | null;
  /** Probability of the intervals. */
  interval: number;
  baseline_share: number;
  /** Of the last 12 % of weeks, predicted without them; null when there are too few. */
  holdout_mape: number | null;
  /** Channels with a lift test in the model. */
  calibrated_channels: string[];
  seed: number;
  model_version: string;
  channels: MixChannel[];
  weeks: MixWeek[];
  curves: MixCurvePoint[];
  tests: MixTest[];
  diagnostics: MixDiagnostics;
}

/** What an analyst looks at before trusting a model. */
export interface MixDiagnostics {
  channels: {
    channel: string;
    /** Share of draws with an effect. */
    p_effect: number;
    rhat: number;
    /** Mean carry-over of adstock. */
    alpha_mean: number;
    /** Variance inflation factor; null: unbounded. */
    vif: number | null;
  }[];
  /** Channels that can't be told apart, with what they bring together. */
  collinear_pairs: { channels: [string, string]; share: number; share_lo: number; share_hi: number }[];
  outlier_weeks: string[];
  missing_weeks: string[];
  /** Posterior weights of the speeds of the baseline. */
  level: { rho: number; weight: number }[];
  holdout: { weeks: number; mape: number | null; in_band: number } | null;
  draws: number;
}

/** What a list says of a run. */
interface MixRunHead {
  run_id: string;
  target: string;
  status: RunStatus;
  trigger: MixTrigger;
  /** When its numbers were made. */
  generated: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  requested_by: string | null;
  /** The run with the same input, of a skipped one. */
  same_as: string | null;
  error_code: string | null;
  error: RunError | null;
}

/** Members that a list leaves out, or that are asked for by `include`. */
type Detail = 'channels' | 'weeks' | 'curves' | 'tests' | 'diagnostics';

/** A run in a list: null where it has no numbers. */
export type MixRunItem = MixRunHead & { [Key in Exclude<keyof MixNumbers, Detail>]: MixNumbers[Key] | null };

/** A run. `weeks`, `curves` and `diagnostics` only when asked for. */
export type MixRun = MixRunItem & Pick<MixNumbers, 'channels'> & Partial<Pick<MixNumbers, Detail>>;
