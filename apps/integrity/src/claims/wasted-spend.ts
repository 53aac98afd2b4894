import { millionths } from '#contracts/costs/millionths.js';

/** What one row claims of the spend of one channel, local day and currency. */
export interface SpendShare {
  /** Flagged sessions of the row. */
  flagged: number;
  /** All sessions of the channel on that day: `paid_sessions` of the cost basis. */
  paid: number;
  /** The sum of `claimable` over all rows of the claim. */
  claimed: number;
  /** A decimal number of at most six digits behind the point. */
  spend: string;
}

/** Of these flagged sessions, those that can have cost something: no more than there were. */
export function claimable(flagged: number, paid: number): number {
  return Math.min(flagged, paid);
}

/**
 * The estimated wasted spend of one row: Σ min(flagged, paid) × spend / max(paid, claimed, 1), exact, rounded once
 * (half-even). Source: integrity.md 8, `wasted/1`. `claimed` exceeds `paid` only when sessions were flagged that the cost
 * basis does not know yet; without it the rows of such a day together would claim more than was spent.
 *
 * @returns two decimals
 */
export function wastedSpend(shares: Iterable<SpendShare>): string {
  // Numerators by denominator: the days of one channel share many.
  const sums = new Map<number, bigint>();
  for (const { flagged, paid, claimed, spend } of shares) {
    const denominator = Math.max(paid, claimed, 1);
    const amount = BigInt(claimable(flagged, paid)) * millionths(spend);
    sums.set(denominator, (sums.get(denominator) ?? 0n) + amount);
  }
  let numerator = 0n;
  let denominator = 1n;
  for (const [divisor, amount] of sums) {
    numerator = numerator * BigInt(divisor) + amount * denominator;
    denominator *= BigInt(divisor);
  }
  return centsText(halfEven(numerator, denominator * 10_000n));
}

function halfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  const up = twice > denominator || (twice === denominator && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}

function centsText(cents: bigint): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
