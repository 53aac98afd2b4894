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
 * A missing name does not count where over 5% of the baseline lack it: then the collector does not send it. Of a visitor
 * with neither browser nor system one session counts: people who hide both come back. Source: the
 * vendors' lists of systems. Observed: their share; usual: none.
 */
export const uaImpossible: DetectorFunction = ({ sessions, n }, { emptyBrowserShare }) => {
  const emptyCounts = emptyBrowserShare <= LIMITS.uaImpossible.mostBaselineEmpty;
  let impossible = 0;
  let nameless: Set<string> | undefined;
  for (const { browser, os, visitor } of sessions) {
    if (browser !== '') {
      if (isImpossiblePair(browser, os)) impossible++;
    } else if (emptyCounts) {
      if (os !== '') impossible++;
      else (nameless ??= new Set()).add(visitor);
    }
  }
  impossible += nameless?.size ?? 0;
  if (impossible === 0) return SILENT;
  const share = impossible / n;
  return {
    score: wilsonLowerBound(impossible, n),
    observed: percent(share),
    limit: percent(0),
    sentence: `${wholePercent(share)} impossible browser/OS pairs`,
  };
};
