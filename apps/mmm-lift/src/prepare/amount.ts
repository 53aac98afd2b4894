import { millionths } from '#contracts/costs/millionths.js';

/** An amount of money in millionths, exactly; refunds are negative. Sums of them don't depend on the order of rows. */
export function amountOf(decimal: string): bigint {
  return decimal.startsWith('-') ? -millionths(decimal.slice(1)) : millionths(decimal);
}

/** The nearest double of an amount in millionths. */
export function numberOf(amount: bigint): number {
  const digits = String(amount < 0n ? -amount : amount).padStart(7, '0');
  const size = Number(`${digits.slice(0, -6)}.${digits.slice(-6)}`);
  return amount < 0n ? -size : size;
}

export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
