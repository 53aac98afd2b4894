import type { LiftStatus, RunError, TrustTier } from './run-state.js';

export const GEO_LEVELS = ['country', 'region', 'city'] as const;
export type GeoLevel = (typeof GEO_LEVELS)[number];

/** A lift test as it was asked for, with its defaults filled in where the body alone gives them. */
export interface LiftRequest {
  name: string;
  /** A target. */
  metric: string;
  channels: string[];
  campaigns: string[];
  /** Absent: from the cost rows where they tell. A decimal number with its currency. */
  spend: { amount: string; currency: string } | null;
  /** Null: a test of the whole market. */
  geo_level: GeoLevel | null;
  treated: string[];
  /** Empty: chosen from the other places of the level. */
  controls: string[];
  /** Targets that serve a test of the whole market as controls. */
  control_metrics: string[];
  test_from: string;
  test_to: string;
  tail_days: number;
  pre_from: string;
  seed: number;
}

export const LIFT_METHODS = ['synthetic_control', 'control_regression', 'own_history'] as const;
export type LiftMethod = (typeof LIFT_METHODS)[number];

/** A day of a lift file. `observed` and `lift` are null on a day without any event. */
export interface LiftDay {
  /** A date; of a plain file maybe a row number. */
  day: string;
  observed: number | null;
  counterfactual: number;
  cf_lo: number;
  cf_hi: number;
  lift: number | null;
  /** The part of the outcome that last touch gives to unpaid channels; null without attribution. */
  organic: number | null;
  /** Running values from the first window day; null before it, and where unknown. */
  spend_window: number | null;
  incremental_roas: number | null;
  cpa: number | null;
}

/** The numbers of an evaluated test; money in `currency`. Intervals are of 90 %. */
export interface LiftNumbers {
  method: LiftMethod;
  pre_from: string;
  pre_to: string;
  test_from: string;
  /** Without the tail. */
  test_to: string;
  /** Of the window: test and tail. */
  n_days: number;
  confidence_level: number;
  observed_total: number;
  counterfactual_total: number;
  lift_total: number;
  lift_lo: number;
  lift_hi: number;
  /** In percent of the counterfactual. */
  lift_pct: number | null;
  lift_pct_lo: number | null;
  lift_pct_hi: number | null;
  p_value: number;
  currency: string | null;
  trust_tier: TrustTier;
  treated: string[];
  n_controls: number;
  tail_days: number;
  /** By which the distances from the point were widened, from placebo tests. */
  calibration_factor: number;
  /** The smallest lift that such a test finds, in percent. */
  mde_pct: number | null;
  organic_shift: number | null;
  organic_shift_lo: number | null;
  organic_shift_hi: number | null;
  warnings: string[];
  seed: number;
  model_version: string;
  /** Of the tested channels in the window; null: unknown. */
  spend_window: number | null;
  incremental_roas: number | null;
  incremental_roas_lo: number | null;
  incremental_roas_hi: number | null;
  cpa: number | null;
  days: LiftDay[];
  diagnostics: {
    /** Donor weights by control. */
    weights: { control: string; weight: number }[];
    dropped_controls: { control: string; reason: string }[];
    placebo_z: number[];
    missing_days: string[];
    /** Root mean square of the leave-one-out errors before the test, in percent of their mean. */
    fit_error_pct: number;
  };
}

/** What a list says of a test. */
interface LiftTestHead {
  test_id: string;
  name: string;
  metric: string;
  channels: string[];
  status: LiftStatus;
  generated: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  requested_by: string | null;
  error_code: string | null;
  error: RunError | null;
}

type Detail = 'days' | 'diagnostics';

export type LiftTestItem = LiftTestHead & { [Key in Exclude<keyof LiftNumbers, Detail>]: LiftNumbers[Key] | null };

/** A test with its request. `days` and `diagnostics` only when asked for (`include=days,diagnostics`). */
export type LiftTest = LiftTestItem & { request: LiftRequest } & Partial<Pick<LiftNumbers, Detail>>;
