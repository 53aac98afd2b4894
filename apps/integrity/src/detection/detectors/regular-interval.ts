import { LIMITS } from '../limits.js';
import { clamp, variation } from '../statistics.js';
import { SILENT, wholePercent, type DetectorFunction } from './finding.js';

/**
 * D08, time, SIVT. Visits arrive like clockwork:
 *
 *     ≥ 12 gaps between session starts; CV = σ/μ (population σ); s = cl((.65 − CV)/.45)
 *
 * Arrivals of people have CV ≥ 1 (Poisson), more with nights in them. Silent when all start at once: that is a burst.
 * Observed: CV; limit: .65.
 */
export const regularInterval: DetectorFunction = ({ sessions, n }) => {
  const { minGaps, from, span } = LIMITS.regularInterval;
  if (n <= minGaps) return SILENT;
  const gaps: number[] = [];
  let before: number | undefined;
  for (const { startedAt } of sessions) {
    if (before !== undefined) gaps.push(startedAt - before);
    before = startedAt;
  }
  const gap = variation(gaps);
  const score = gap === undefined ? 0 : clamp((from - gap.cv) / span);
  if (gap === undefined || score === 0) return SILENT;
  return {
    score,
    observed: gap.cv.toFixed(2),
    limit: from.toFixed(2),
    sentence: `visits arrive every ${Math.round(gap.mean / 1000)} s ± ${wholePercent(gap.cv)}`,
  };
};
