import type { RowReader } from '#database/modeling/row-reader.js';

/**
 * How amounts become amounts of one currency. Rates are units of a common currency for one unit of a currency; two of them
 * give the rate between two currencies. The common currency itself needs no rows, or rows of 1. Only a rate of the very day
 * counts: an older one would be a guess.
 */
export interface Exchange {
  /** Null: all amounts are of one currency already. */
  into: string | null;
  /** The currency that the rates are given in; null when the rates don't tell. */
  common: string | null;
}

export const NO_EXCHANGE: Exchange = { into: null, common: null };

/** @param currencies all that have amounts */
export async function exchangeInto(read: RowReader, into: string, currencies: Iterable<string>): Promise<Exchange> {
  const rows = await read<{ currency: string }>(
    `SELECT currency FROM unnest($1::text[]) AS needed (currency)
      WHERE NOT EXISTS (SELECT 1 FROM modeling.fx_rate f WHERE f.currency = needed.currency AND f.rate <> 1)`,
    [[...new Set([into, ...currencies])].sort()],
  );
  const [only, ...others] = rows;
  return { into, common: others.length === 0 ? (only?.currency ?? null) : null };
}

/**
 * SQL of what one unit of a currency is worth on a day, NULL when a rate is missing. Put together from the names of columns
 * and of the parameters that hold `into` and `common`; `joins` stands behind the FROM.
 */
export function exchangeSql(
  { currency, day }: { currency: string; day: string },
  { into, common }: { into: string; common: string },
): { factor: string; joins: string } {
  return {
    factor: `CASE WHEN ${into}::text IS NULL OR ${currency} = ${into} THEN 1
      ELSE CASE WHEN ${currency} = ${common} THEN 1 ELSE fx_of.rate END
         / CASE WHEN ${into} = ${common} THEN 1 ELSE fx_into.rate END END`,
    joins: `LEFT JOIN modeling.fx_rate fx_of ON fx_of.currency = ${currency} AND fx_of.day = ${day} AND fx_of.rate > 0
      LEFT JOIN modeling.fx_rate fx_into ON fx_into.currency = ${into}::text AND fx_into.day = ${day} AND fx_into.rate > 0`,
  };
}
