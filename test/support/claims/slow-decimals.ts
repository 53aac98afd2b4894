/** Exact fractions by schoolbook arithmetic on digits in text: slow, and nothing in common with what it checks. */
export interface Fraction {
  over: string;
  under: string;
}

export function fraction(decimal: string, under = 1): Fraction {
  const [whole = '0', behind = ''] = decimal.split('.');
  return { over: trim(whole + behind), under: times(`1${'0'.repeat(behind.length)}`, String(under)) };
}

export function multiply(a: Fraction, b: Fraction): Fraction {
  return { over: times(a.over, b.over), under: times(a.under, b.under) };
}

export function sum(fractions: readonly Fraction[]): Fraction {
  return fractions.reduce(
    (a, b) => ({ over: plus(times(a.over, b.under), times(b.over, a.under)), under: times(a.under, b.under) }),
    { over: '0', under: '1' },
  );
}

export function isAtMost(a: Fraction, b: Fraction): boolean {
  return compare(times(a.over, b.under), times(b.over, a.under)) <= 0;
}

/** Two decimals, half to even. */
export function toCents({ over, under }: Fraction): string {
  const [cents, rest] = divide(times(over, '100'), under);
  const side = compare(times(rest, '2'), under);
  const up = side > 0 || (side === 0 && Number(cents.at(-1)) % 2 === 1);
  const digits = (up ? plus(cents, '1') : cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function trim(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}

function compare(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

function plus(a: string, b: string): string {
  const length = Math.max(a.length, b.length);
  let carry = 0;
  let digits = '';
  for (let place = 1; place <= length; place++) {
    const column = Number(a.at(-place) ?? 0) + Number(b.at(-place) ?? 0) + carry;
    digits = String(column % 10) + digits;
    carry = column > 9 ? 1 : 0;
  }
  return trim(String(carry) + digits);
}

function minus(a: string, b: string): string {
  let borrow = 0;
  let digits = '';
  for (let place = 1; place <= a.length; place++) {
    const column = Number(a.at(-place)) - Number(b.at(-place) ?? 0) - borrow;
    borrow = column < 0 ? 1 : 0;
    digits = String(column + 10 * borrow) + digits;
  }
  return trim(digits);
}

function times(a: string, b: string): string {
  let product = '0';
  for (const digit of b) {
    product = trim(`${product}0`);
    for (let count = 0; count < Number(digit); count++) product = plus(product, a);
  }
  return product;
}

/** Long division: quotient and rest. */
function divide(a: string, b: string): [string, string] {
  let quotient = '';
  let rest = '0';
  for (const digit of a) {
    rest = trim(rest + digit);
    let count = 0;
    while (compare(rest, b) >= 0) {
      rest = minus(rest, b);
      count++;
    }
    quotient += String(count);
  }
  return [trim(quotient), rest];
}
