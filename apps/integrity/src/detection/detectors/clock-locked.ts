import { LIMITS } from '../limits.js';
import { clamp, meanVectorLength, mostFrequent, tally } from '../statistics.js';
import { SILENT, wholePercent, type DetectorFunction } from './finding.js';

/**
 * D10, time, SIVT. Visits start at one point of the minute, as programs do that a scheduler starts:
 *
 *     n ≥ 20; R = length of the mean vector of the start times on a circle of 60 s
 *     s = cl((R − .3)/.5) · cl((nR² − 6)/6), because chance alone reaches R with e^(−nR²) (Rayleigh)
 *
 * Silent where the baseline is locked as well, because then times are cut to minutes. Source: Rayleigh's R of
 * directional statistics (Mardia & Jupp). Observed: R; limit: .30.
 */
export const clockLocked: DetectorFunction = ({ sessions, n }, { clockConcentration }) => {
  const { minSessions, from, span, chanceFrom, chanceSpan, circleMs } = LIMITS.clockLocked;
  if (n < minSessions || clockConcentration >= from) return SILENT;
  const concentration = meanVectorLength(sessions, ({ startedAt }) => startedAt, circleMs);
  const beyondChance = clamp((n * concentration ** 2 - chanceFrom) / chanceSpan);
  const score = beyondChance * clamp((concentration - from) / span);
  if (score === 0) return SILENT;
  const seconds = tally(sessions, ({ startedAt }) => String(Math.floor((startedAt % circleMs) / 1000)));
  return {
    score,
    observed: concentration.toFixed(2),
    limit: from.toFixed(2),
    sentence: `${wholePercent((mostFrequent(seconds)?.count ?? 0) / n)} of visits start in one second of the minute`,
  };
};
