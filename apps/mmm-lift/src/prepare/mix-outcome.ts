import { localDay } from '#contracts/local-day.js';
import { RunFailure } from '#contracts/modeling/run-state.js';
import { isCount } from '#contracts/modeling/target.js';
import type { RowReader } from '#database/modeling/row-reader.js';
import { numberOf } from './amount.js';
import type { ModelAsset } from './asset.js';
import { lastWeekBefore } from './calendar.js';
import { NO_EXCHANGE, type Exchange } from './exchange.js';
import { requireOutcomeRates } from './mix-money.js';
import { mixWindow } from './mix-window.js';
import {
  outcomeByWeek,
  readEventWeeks,
  readOutcomeWeeks,
  targetOccurs,
  type EventWeek,
  type OutcomeWeek,
} from './outcome-weeks.js';

/** Less than these can't be modelled. */
export const MIN_WEEKS = 12;

/** The window of a run and what happened in it. */
export interface MixOutcome {
  /** Sundays without a gap. */
  weeks: string[];
  first: string;
  last: string;
  /** The last Sunday that is over in the time zone of the asset. */
  lastComplete: string;
  /** Whether a week has any event: without one its outcome is missing. */
  known: boolean[];
  events: EventWeek[];
  /** The target in the window, in its own currencies. */
  rows: OutcomeWeek[];
}

interface Asked {
  assetId: string;
  target: string;
  from: string | null;
  to: string | null;
  now: Date;
}

/** @throws RunFailure target_unavailable, or not_enough_weeks when the target occurs in no complete week that was asked for */
export async function mixOutcome(read: RowReader, asked: Asked, asset: ModelAsset): Promise<MixOutcome> {
  const { assetId, target } = asked;
  const lastComplete = lastWeekBefore(localDay(asset.timezone, asked.now));
  const events = await readEventWeeks(read, assetId, lastComplete);
  const rows = await readOutcomeWeeks(
    read,
    { assetId, target, to: lastComplete, currency: asset.currency },
    NO_EXCHANGE,
  );
  const withTarget = target === 'conversions' ? events : rows;
  const weeks = mixWindow(
    withTarget.map(({ weekEnd }) => weekEnd),
    asked,
    lastComplete,
  );
  const [first] = weeks;
  const last = weeks.at(-1);
  if (first === undefined || last === undefined) {
    if (!(await targetOccurs(read, assetId, target))) throw new RunFailure('target_unavailable');
    throw new RunFailure('not_enough_weeks', { have: 0, need: MIN_WEEKS });
  }
  const tracked = new Set(events.map(({ weekEnd }) => weekEnd));
  const known = weeks.map((week) => tracked.has(week));
  return { weeks, first, last, lastComplete, known, events, rows: inWindow(rows, weeks) };
}

/**
 * The target by week in the currency of the run; null where it is missing.
 *
 * @throws RunFailure mixed_currency when revenue lacks a rate
 */
export async function targetIn(
  read: RowReader,
  { assetId, target }: Asked,
  { weeks, known, lastComplete, rows }: MixOutcome,
  { currency }: ModelAsset,
  exchange: Exchange,
): Promise<(number | null)[]> {
  const converted =
    exchange.into === null || isCount(target)
      ? rows
      : inWindow(await readOutcomeWeeks(read, { assetId, target, to: lastComplete, currency }, exchange), weeks);
  requireOutcomeRates(converted);
  const amounts = outcomeByWeek(converted);
  return weeks.map((week, index) => (known[index] === true ? numberOf(amounts.get(week) ?? 0n) : null));
}

function inWindow(rows: readonly OutcomeWeek[], weeks: readonly string[]): OutcomeWeek[] {
  const window = new Set(weeks);
  return rows.filter(({ weekEnd }) => window.has(weekEnd));
}
