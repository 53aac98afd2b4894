import { LIMITS } from '../limits.js';
import { clamp, entropyBits, mostFrequent, tally } from '../statistics.js';
import { SILENT, wholePercent, type DetectorFunction } from './finding.js';

/**
 * D07, behaviour, SIVT. Visits repeat one walk at one pace:
 *
 *     k ≥ 10 sessions with ≥ 2 distinct paths
 *     H = entropy of (sequence of paths, duration floored to 4 s) / log2(min(k, 60)); s = cl((.55 − H)/.4)
 *
 * Source: Shannon entropy as a share of its maximum. Observed: H; limit: .55, people lie above.
 */
export const pathTemplate: DetectorFunction = ({ sessions, n }) => {
  const { minSessions, stepMs, mostSessions, from, span } = LIMITS.pathTemplate;
  if (n < minSessions) return SILENT;
  const walks = sessions.filter(({ pathSignature }) => pathSignature !== '');
  if (walks.length < minSessions) return SILENT;
  const counts = tally(
    walks,
    ({ pathSignature, startedAt, endedAt }) => `${Math.floor((endedAt - startedAt) / stepMs)} ${pathSignature}`,
  );
  const evenness = entropyBits(counts.values()) / Math.log2(Math.min(walks.length, mostSessions));
  const score = clamp((from - evenness) / span);
  if (score === 0) return SILENT;
  const share = (mostFrequent(counts)?.count ?? 0) / walks.length;
  return {
    score,
    observed: evenness.toFixed(2),
    limit: from.toFixed(2),
    sentence: `${wholePercent(share)} of visits follow one path at one pace`,
  };
};
