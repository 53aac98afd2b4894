/**
 * The sum of `a[aFrom + i] · b[bFrom + i]` over i < n. Four partial sums break the chain of additions; their order is fixed, so
 * equal input gives equal bits.
 */
export function dot(a: Float64Array, aFrom: number, b: Float64Array, bFrom: number, n: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  const whole = n - (n % 4);
  let i = 0;
  for (; i < whole; i += 4) {
    s0 += at(a, aFrom + i) * at(b, bFrom + i);
    s1 += at(a, aFrom + i + 1) * at(b, bFrom + i + 1);
    s2 += at(a, aFrom + i + 2) * at(b, bFrom + i + 2);
    s3 += at(a, aFrom + i + 3) * at(b, bFrom + i + 3);
  }
  for (; i < n; i += 1) s0 += at(a, aFrom + i) * at(b, bFrom + i);
  return s0 + s1 + (s2 + s3);
}

/** Adds `factor · a[aFrom + i]` to `y[i]` for i < n. */
export function addScaled(y: Float64Array, factor: number, a: Float64Array, aFrom: number, n: number): void {
  for (let i = 0; i < n; i += 1) y[i] = at(y, i) + factor * at(a, aFrom + i);
}

/** An element that the caller knows to exist: the cast is free, a fallback value costs a comparison in the inner loops. */
export function at(values: Float64Array, index: number): number {
  return values[index] as number;
}
