/** States of model runs; lift tests are `scheduled` first and never `skipped`. */
export const RUN_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'skipped'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const LIFT_STATUSES = ['scheduled', 'queued', 'running', 'succeeded', 'failed'] as const;
export type LiftStatus = (typeof LIFT_STATUSES)[number];

/** How far the numbers can be trusted, worst first. */
export const TRUST_TIERS = ['insufficient', 'low', 'medium', 'high'] as const;
export type TrustTier = (typeof TRUST_TIERS)[number];

/** Why a run or a test has no numbers, with the sentence for each. */
export const RUN_ERRORS = {
  not_enough_weeks: 'There are not enough weeks with both spend and outcome.',
  no_cost: 'There is no spend in the window.',
  target_constant: 'The target never changes, so nothing can explain it.',
  target_unavailable: 'There is no such outcome among the events.',
  target_negative: 'The target is far below zero in some weeks.',
  mixed_currency: 'Spend is in several currencies and an exchange rate is missing.',
  control_gap: 'A control does not cover every week of the window.',
  no_baseline: 'The treated series is constant or zero before the test.',
  unknown_place: 'A place does not occur among the events, or its name is ambiguous.',
  timeout: 'The fit took longer than it may.',
  internal: 'Something failed that was not foreseen; the log of the service has it.',
} as const;
export type RunErrorCode = keyof typeof RUN_ERRORS;

/** Why a run failed; further members by code, for example `have` and `need`. */
export interface RunError {
  code: RunErrorCode;
  detail: string;
  [extension: string]: unknown;
}

/** A foreseen end without numbers. */
export class RunFailure extends Error {
  constructor(
    readonly code: RunErrorCode,
    readonly extensions: Record<string, unknown> = {},
  ) {
    super(RUN_ERRORS[code]);
    this.name = 'RunFailure';
  }

  get problem(): RunError {
    return { code: this.code, detail: this.message, ...this.extensions };
  }
}
