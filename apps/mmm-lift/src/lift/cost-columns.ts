import type { LiftInput } from './lift-input.js';

/** What the tested spend is set against. */
export type Money = Pick<LiftInput, 'isCount' | 'conversionValue' | 'averageOrderValue'>;

export interface CostFigures {
  spend_window: number | null;
  incremental_roas: number | null;
  cpa: number | null;
}

/**
 * Spend, return on it and cost per incremental conversion. Empty: the return without spend or, of counts, without the value of a
 * conversion; the cost also when the lift is not above 0 or, of revenue, when the order value is unknown.
 *
 * @param spend null: unknown
 */
export function costFigures(spend: number | null, lift: number, money: Money): CostFigures {
  const conversions = conversionsOf(lift, money);
  return {
    spend_window: spend,
    incremental_roas: returnOn(spend, lift, money),
    cpa: spend !== null && spend > 0 && conversions !== null && conversions > 0 ? spend / conversions : null,
  };
}

/** Revenue per unit of spend; null where spend or the value of a conversion is unknown. */
export function returnOn(spend: number | null, lift: number, { isCount, conversionValue }: Money): number | null {
  const value = isCount ? conversionValue : 1;
  return spend !== null && spend > 0 && value !== null ? (lift * value) / spend : null;
}

function conversionsOf(lift: number, { isCount, averageOrderValue }: Money): number | null {
  if (isCount) return lift;
  return averageOrderValue !== null && averageOrderValue > 0 ? lift / averageOrderValue : null;
}

/** The figures of each day of the window, running from its first day; a day without lift adds its spend only. */
export function runningCosts(spend: number[] | null, lift: (number | null)[], money: Money): CostFigures[] {
  let spent = 0;
  let gained = 0;
  return lift.map((value, day) => {
    spent += spend?.[day] ?? 0;
    gained += value ?? 0;
    return costFigures(spend === null ? null : spent, gained, money);
  });
}
