import type { TrustTier } from '#contracts/modeling/run-state.js';
import type { HoldOut } from './hold-out.js';
import { LEAST_LONG_WINDOW } from './identified.js';

/** What decides how far a mix can be trusted. */
export interface Trust {
  /** Weeks in the likelihood. */
  readonly n: number;
  /** Fitted channels. */
  readonly channels: number;
  /** Terms that the data have to tell apart: channels, controls, trend and season. */
  readonly effects: number;
  /** Parts of the spend. */
  readonly identifiedSpend: number;
  readonly testedSpend: number;
  /** The largest |predicted − value|/se of a test before it was known; 0 without tests. */
  readonly worstTest: number;
  readonly holdOut: HoldOut | null;
  readonly converged: boolean;
  readonly warnings: readonly string[];
}

/** The highest tier whose rule holds; with an unstable baseline none above medium. */
export function trustTier(trust: Trust): TrustTier {
  const { n, channels, warnings } = trust;
  if (channels === 0 || n < LEAST_LONG_WINDOW) return 'insufficient';
  const isProven = isProvenByData(trust) || isProvenByTests(trust);
  if (isProven && !warnings.includes('unstable_baseline')) return 'high';
  return isProven || isMedium(trust) ? 'medium' : 'low';
}

function isProvenByData({ n, effects, identifiedSpend, holdOut, converged, warnings }: Trust): boolean {
  return (
    n >= 104 &&
    identifiedSpend >= 0.6 &&
    n / effects >= 4 &&
    isWithin(holdOut, 0.15) &&
    holdOut !== null &&
    holdOut.inBand >= 0.7 &&
    converged &&
    warnings.length === 0
  );
}

function isProvenByTests({ n, testedSpend, worstTest }: Trust): boolean {
  return n >= 52 && testedSpend >= 0.5 && worstTest <= 2;
}

function isMedium({ n, effects, identifiedSpend, holdOut }: Trust): boolean {
  return n >= 52 && identifiedSpend >= 0.25 && n / effects >= 2.5 && isWithin(holdOut, 0.25);
}

function isWithin(holdOut: HoldOut | null, mape: number): boolean {
  return holdOut !== null && holdOut.mape !== null && holdOut.mape <= mape;
}
