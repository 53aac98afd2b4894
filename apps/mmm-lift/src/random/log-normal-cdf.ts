import erfcx from '@stdlib/math-base-special-erfcx';

// Constants: in the sandbox of the tests each look-up of a global costs more than the function itself.
const { exp, log, log1p } = Math;

const SQRT_HALF = Math.SQRT1_2;
/** For an interval without measurable mass. */
const NO_MASS = -700;

/** ln Φ(x), Φ the standard normal distribution function, exact in both tails through erfcx(x) = e^(x²)·erfc(x). */
export function logNormalCdf(x: number): number {
  return x < 0
    ? log(0.5 * erfcx(-x * SQRT_HALF)) - 0.5 * x * x
    : log1p(-0.5 * erfcx(x * SQRT_HALF) * exp(-0.5 * x * x));
}

/**
 * ln[Φ(b) − Φ(a)] for a < b, without cancellation: in the upper tail both are mirrored into the lower one. −700 where a and b
 * are too near to be told apart.
 */
export function logNormalMass(a: number, b: number): number {
  const low = a > 0 ? -b : a;
  const high = a > 0 ? -a : b;
  const logHigh = logNormalCdf(high);
  const d = logNormalCdf(low) - logHigh;
  return d > -1e-14 || Number.isNaN(d) ? NO_MASS : logHigh + log1p(-exp(d));
}
