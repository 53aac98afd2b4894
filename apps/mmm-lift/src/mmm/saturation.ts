import type { Shape } from './grid.js';

/** atanh(½): tanh(it) is one half. */
const ATANH_HALF = 0.5493061;
/** The Hill exponent of the S-shaped response. */
const S_CURVE = 1.8;

/**
 * Saturation F(v) with half point k > 0: Hill vˢ/(kˢ + vˢ) with s = 1 or 1.8, or tanh(atanh(½)·v/k). The power is
 * exp(s·ln v), whose bits do not differ between Node versions as those of a power function do.
 */
export function saturate(shape: Shape, v: number, k: number): number {
  if (!(v > 0)) return 0;
  switch (shape) {
    case 'hill':
      return v / (k + v);
    case 'tanh':
      return Math.tanh((ATANH_HALF * v) / k);
    case 's_curve':
      return 1 / (1 + Math.exp(S_CURVE * Math.log(k / v)));
  }
}
