import { LIMITS } from './limits.js';
import { isFlagged, rankOf } from './severity.js';
import type { TrafficSession } from './traffic.js';
import type { EntityVerdicts, WindowVerdict } from './windows.js';

/** What an entity is on one local day, by the strongest window that holds the day. */
export interface DayVerdict {
  readonly day: number;
  readonly verdict: WindowVerdict;
  /** Of the entity on that day, in order; at least one. */
  readonly sessions: readonly TrafficSession[];
}

/**
 * The days of an entity with sessions. A window speaks for its last day, and if it is likely or confirmed for the six
 * days before as well; of several windows the highest severity counts, then the highest P, then the latest.
 */
export function dayVerdicts({ verdicts }: EntityVerdicts, firstDay: number, lastDay: number): DayVerdict[] {
  const strongest = new Map<number, WindowVerdict>();
  for (const verdict of verdicts) {
    const from = isFlagged(verdict.severity) ? verdict.lastDay - LIMITS.windowDays + 1 : verdict.lastDay;
    for (let day = Math.max(from, firstDay); day <= Math.min(verdict.lastDay, lastDay); day++) {
      const known = strongest.get(day);
      if (known === undefined || isStronger(verdict, known)) strongest.set(day, verdict);
    }
  }
  return [...strongest]
    .map(([day, verdict]) => ({ day, verdict, sessions: verdict.sessions.filter((session) => session.day === day) }))
    .filter(({ sessions }) => sessions.length > 0)
    .sort((a, b) => a.day - b.day);
}

function isStronger(a: WindowVerdict, b: WindowVerdict): boolean {
  return (rankOf(a.severity) - rankOf(b.severity) || a.evidence.p - b.evidence.p || a.lastDay - b.lastDay) > 0;
}
