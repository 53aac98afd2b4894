import type { Shape } from './grid.js';

// Constants: in the sandbox of the tests each look-up of a global costs more than the function itself.
const { exp, log, tanh } = Math;

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
      return tanh((ATANH_HALF * v) / k);
    case 's_curve':
      return 1 / (1 + exp(S_CURVE * log(k / v)));
  }
}
