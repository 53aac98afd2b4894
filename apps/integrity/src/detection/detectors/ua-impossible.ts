import { LIMITS } from '../limits.js';
import { wilsonLowerBound } from '../statistics.js';
import { isImpossiblePair } from '../user-agents/impossible-pairs.js';
import { percent, SILENT, wholePercent, type DetectorFunction } from './finding.js';

/**
 * D13, identity, SIVT. Browsers on systems for which they do not exist: Safari on Windows, Android or Linux, Internet
 * Explorer off Windows, Samsung Internet off Android, no browser name at all.
 *
 *     s = WLB(impossible pairs, n)
 *
 * A missing name does not count where over 5% of the baseline lack it: then the collector does not send it. Source: the
 * vendors' lists of systems. Observed: their share; usual: none.
 */
export const uaImpossible: DetectorFunction = ({ sessions, n }, { emptyBrowserShare }) => {
  const emptyCounts = emptyBrowserShare <= LIMITS.uaImpossible.mostBaselineEmpty;
  let impossible = 0;
  for (const { browser, os } of sessions) {
    if (browser === '' ? emptyCounts : isImpossiblePair(browser, os)) impossible++;
  }
  if (impossible === 0) return SILENT;
  const share = impossible / n;
  return {
    score: wilsonLowerBound(impossible, n),
    observed: percent(share),
    limit: percent(0),
    sentence: `${wholePercent(share)} impossible browser/OS pairs`,
  };
};
