import type { Random } from './random.js';

// Constants: in the sandbox of the tests each look-up of a global costs more than the function itself.
const { log, sqrt } = Math;

/** Rejections after which the uniform proposal takes over. */
const MISSES = 500;
const POINT = 1e-9;

/**
 * A draw of N(mean, sd²) truncated to (0, upper): plain rejection around the middle, an exponential proposal in the tails and a
 * uniform one on narrow intervals (C. P. Robert, "Simulation of truncated normal variables", 1995).
 */
export function truncatedNormal(random: Random, mean: number, sd: number, upper: number): number {
  const z = standardTruncated(random, -mean / sd, (upper - mean) / sd);
  return Math.min(Math.max(mean + sd * z, 0), upper);
}

/** A standard normal draw truncated to (a, b), a < b. */
export function standardTruncated(random: Random, a: number, b: number): number {
  const width = b - a;
  if (width < POINT) return a + width * random.uniform();
  if (a <= 0.5 && b >= -0.5) return plain(random, a, b) ?? uniformProposal(random, a, b);
  if (a > 0) return tail(random, a, b) ?? uniformProposal(random, a, b);
  const mirrored = tail(random, -b, -a);
  return mirrored === undefined ? uniformProposal(random, a, b) : -mirrored;
}

function plain(random: Random, a: number, b: number): number | undefined {
  for (let miss = 0; miss < MISSES; miss += 1) {
    const z = random.normal();
    if (z > a && z < b) return z;
  }
  return undefined;
}

/** For a > 0. */
function tail(random: Random, a: number, b: number): number | undefined {
  const rate = (a + sqrt(a * a + 4)) / 2;
  for (let miss = 0; miss < MISSES; miss += 1) {
    const z = a - log(random.uniform()) / rate;
    const distance = z - rate;
    if (z < b && log(random.uniform()) <= -0.5 * distance * distance) return z;
  }
  return undefined;
}

function uniformProposal(random: Random, a: number, b: number): number {
  const nearest = a > 0 ? a : b < 0 ? b : 0;
  for (;;) {
    const z = a + (b - a) * random.uniform();
    // Negated, so that a NaN comes out and does not loop for ever.
    if (!(log(random.uniform()) > -0.5 * (z * z - nearest * nearest))) return z;
  }
}
