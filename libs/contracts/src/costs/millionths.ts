/**
 * An amount of money, exactly.
 *
 * @param amount a decimal number of at most six digits behind the point, not negative
 * @throws TypeError when it is none
 */
export function millionths(amount: string): bigint {
  const match = /^(\d+)(?:\.(\d{1,6}))?$/.exec(amount);
  if (match === null) throw new TypeError(`Not a decimal number of at most six decimals: ${amount}`);
  const [, whole = '', fraction = ''] = match;
  return BigInt(whole + fraction.padEnd(6, '0'));
}

/**
 * The same of an amount that may be negative: a refund.
 *
 * @throws TypeError when it is none
 */
export function signedMillionths(amount: string): bigint {
  return amount.startsWith('-') ? -millionths(amount.slice(1)) : millionths(amount);
}

/** An amount in millionths as a decimal number of six digits behind the point. */
export function decimalText(amount: bigint): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(7, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
