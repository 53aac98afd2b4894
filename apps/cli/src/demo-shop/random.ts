/**
 * Numbers that follow from their keys alone: sfc32 by Chris Doty-Humphrey (PractRand), its state filled by the mixing
 * steps of splitmix32. Whoever needs numbers of its own makes one with its own keys, so that nothing depends on who
 * asked first.
 */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter: number;

  /** @param keys whole numbers */
  constructor(...keys: readonly number[]) {
    this.a = fold(keys, 0x9e3779b9);
    this.b = fold(keys, 0x243f6a88);
    this.c = fold(keys, 0xb7e15162);
    this.counter = fold(keys, 0x6a09e667);
    for (let step = 0; step < 12; step++) this.word();
  }

  /** 32 bits. */
  word(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    this.c |= 0;
    return sum >>> 0;
  }

  /** Over 0 and under 1. */
  unit(): number {
    return (this.word() + 0.5) / 4_294_967_296;
  }

  /** A whole number from `low` to `high`, both possible. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** @throws RangeError without items */
  pick<T>(items: readonly T[]): T {
    return itemAt(items, Math.floor(this.unit() * items.length));
  }

  /** One item, as often as its weight says. @throws RangeError without items */
  weighted<T>(items: readonly T[], weight: (item: T) => number): T {
    let left = this.unit() * items.reduce((sum, item) => sum + weight(item), 0);
    const index = items.findIndex((item) => (left -= weight(item)) < 0);
    return itemAt(items, index < 0 ? items.length - 1 : index);
  }

  /** Mean 0, deviation 1 (Box and Muller). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(this.unit())) * Math.cos(2 * Math.PI * this.unit());
  }

  /** A waiting time. */
  exponential(mean: number): number {
    return -mean * Math.log(this.unit());
  }

  /** A count (Knuth); for means up to some hundreds. */
  poisson(mean: number): number {
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = this.unit(); product > limit; product *= this.unit()) count++;
    return count;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.word() & 0xff);
  }
}

function fold(keys: readonly number[], salt: number): number {
  let state = salt;
  for (const key of keys) state = mix((mix(state) + key) | 0);
  return state;
}

function mix(value: number): number {
  const added = (value + 0x9e3779b9) | 0;
  const first = Math.imul(added ^ (added >>> 16), 0x21f0aaad);
  const second = Math.imul(first ^ (first >>> 15), 0x735a2d97);
  return second ^ (second >>> 15);
}

function itemAt<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`there is no item ${index} of ${items.length}`);
  return item;
}
