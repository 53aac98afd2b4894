import type { TrustTier } from '#contracts/modeling/run-state.js';

/** What a lift test's trust rests on. */
export interface Grounds {
  controls: number;
  kappa: number;
  /** Root mean square of the leave-one-out errors in percent of the mean before the window. */
  fitErrorPercent: number;
  /** Share of the days before the window without an outcome. */
  missing: number;
  /** Days of the window with an outcome. */
  judged: number;
}

const MOST_MISSING = 0.2;
const HIGH = { controls: 8, kappa: 2, fitErrorPercent: 10 } as const;
const MEDIUM = { controls: 1, kappa: 3 } as const;

export function trustTier({ controls, kappa, fitErrorPercent, missing, judged }: Grounds): TrustTier {
  if (missing > MOST_MISSING || judged === 0) return 'insufficient';
  if (controls >= HIGH.controls && kappa <= HIGH.kappa && fitErrorPercent <= HIGH.fitErrorPercent) return 'high';
  return controls >= MEDIUM.controls && kappa <= MEDIUM.kappa ? 'medium' : 'low';
}
