import { gamma } from './gamma.js';

// Constants: in the sandbox of the tests each look-up of a global costs more than the function itself.
const { log, sqrt } = Math;

/** Values of a new stream that are thrown away until its words are mixed. */
const DROPPED = 20;
const TWO_32 = 4_294_967_296;

/**
 * Random numbers that are the same for the same seed on every platform: the generator sfc32 (Doty-Humphrey, PractRand), its words
 * filled by splitmix32 (Steele, Lea and Flood, 2014, with the 32-bit finaliser of MurmurHash3).
 */
export class Random {
  private spare: number | undefined;

  private constructor(
    private a: number,
    private b: number,
    private c: number,
    private counter: number,
  ) {
    for (let dropped = 0; dropped < DROPPED; dropped += 1) this.uint32();
  }

  /**
   * The stream of one chain for one purpose; streams of different arguments have nothing in common.
   *
   * @param seed 1..2147483647
   */
  static stream(seed: number, purpose: string | number, chain: number): Random {
    const next = splitmix32(seed, typeof purpose === 'number' ? purpose : hashOf(purpose), chain);
    return new Random(next(), next(), next(), next());
  }

  private uint32(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** In (0, 1), both ends excluded. */
  uniform(): number {
    return (this.uint32() + 0.5) / TWO_32;
  }

  /** Standard normal, by the polar method (Marsaglia and Bray, 1964). */
  normal(): number {
    if (this.spare !== undefined) {
      const spare = this.spare;
      this.spare = undefined;
      return spare;
    }
    for (;;) {
      const x = 2 * this.uniform() - 1;
      const y = 2 * this.uniform() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const factor = sqrt((-2 * log(square)) / square);
      this.spare = y * factor;
      return x * factor;
    }
  }

  /** Gamma of shape k > 0 and scale 1. */
  gamma(k: number): number {
    return gamma(this, k);
  }

  /** A whole number in 0..n-1. */
  below(n: number): number {
    return Math.floor(this.uniform() * n);
  }
}

/** A sequence of words that depends on every word given. */
function splitmix32(...words: number[]): () => number {
  let state = 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x85ebca6b);
    mixed ^= mixed >>> 13;
    mixed = Math.imul(mixed, 0xc2b2ae35);
    return mixed ^ (mixed >>> 16);
  };
  for (const word of words) state = next() ^ word;
  return next;
}

/** FNV-1a over UTF-16 units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash | 0;
}
