import { mostFrequent, tally, wilsonLowerBound } from '../statistics.js';
import { isDeclaredBot } from '../engagement.js';
import { percent, SILENT, type DetectorFunction } from './finding.js';

/**
 * D01, lists, GIVT. Sessions whose browser says that it is a bot or driven by a program:
 *
 *     s = WLB(sessions of ua_class bot or automation, n)
 *
 * WLB: lower Wilson bound, z = 1. Source: IAB/ABC International Spiders & Bots List, which counts self-declared agents as
 * general invalid traffic. Observed: their share; usual: none.
 */
export const declaredBot: DetectorFunction = ({ sessions, n, declaredBots }) => {
  if (declaredBots === 0) return SILENT;
  const names = tally(sessions.filter(isDeclaredBot), ({ browser }) => browser);
  return {
    score: wilsonLowerBound(declaredBots, n),
    observed: percent(declaredBots / n),
    limit: percent(0),
    sentence: `${declaredBots} of ${n} sessions declare ${mostFrequent(names)?.key ?? ''}`,
  };
};
