import { decimalText } from '#contracts/costs/millionths.js';

/** The nearest double of an amount in millionths. */
export function numberOf(amount: bigint): number {
  return Number(decimalText(amount));
}

export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
