import { LIMITS } from '../limits.js';
import type { TrafficSession } from '../traffic.js';
import { clickedSessions, excess, limitOf } from './clicks.js';
import { SILENT, type DetectorFunction } from './finding.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * D04, activity, GIVT. The same address and browser clicks again and again on one day:
 *
 *     md = most paid landing hits per host + browser + OS and local day of the hit
 *     s  = cl((log2(1 + md) − log2(1 + lim)) / 2), lim = 60 mobile, 40 business, education, government, else 6
 *
 * Source: as D03. Observed and limit: clicks a day.
 */
export const repeatClick: DetectorFunction = ({ sessions, clicks, networkType }) => {
  const limit = limitOf(LIMITS.repeatClick, networkType);
  if (clicks <= limit) return SILENT;
  let most = 0;
  const ofHosts = clickedSessions(sessions, ({ host }) => host, limit);
  const ofDevices = ofHosts.flatMap((ofHost) =>
    clickedSessions(ofHost, ({ browser, os }) => `${browser}\n${os}`, limit),
  );
  for (const ofDevice of ofDevices) {
    const byDay = new Map<number, number>();
    for (const session of ofDevice) {
      const midnight = nextMidnight(session);
      for (const hit of session.landingHits) {
        const day = session.day + (hit < midnight ? 0 : 1 + Math.floor((hit - midnight) / DAY_MS));
        const count = (byDay.get(day) ?? 0) + 1;
        byDay.set(day, count);
        if (count > most) most = count;
      }
    }
  }
  const score = excess(most, limit, LIMITS.repeatClick.doublings);
  if (score === 0) return SILENT;
  return {
    score,
    observed: String(most),
    limit: String(limit),
    sentence: `${most} paid clicks a day from one address and browser (limit ${limit})`,
  };
};

/**
 * When the local day of a session ends. It is known by the local hour: exact where zones differ by whole hours, and on
 * days without a change of the clock between the start and midnight.
 */
function nextMidnight({ startedAt, hour }: TrafficSession): number {
  return startedAt - (startedAt % HOUR_MS) + (24 - hour) * HOUR_MS;
}
