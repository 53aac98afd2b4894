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
