const FIRST_SLOTS = 1 << 12;
/** 32 MiB of slots; a file with more different keys is left to the database. */
const MOST_SLOTS = 1 << 22;
const FILL = 0.7;
const CACHED_HASHES = 50_000;

/**
 * Says whether a file may hold the same key twice, so that the database need not look: a set of 64-bit hashes with open
 * addressing. It may err on the side of yes, never of no.
 */
export class SeenKeys {
  private slots = FIRST_SLOTS;
  private low = new Uint32Array(FIRST_SLOTS);
  private high = new Uint32Array(FIRST_SLOTS);
  private count = 0;
  private readonly hashes = new Map<string, number>();
  private readonly lowHashes = new Int32Array(CACHED_HASHES + 1);
  private readonly highHashes = new Int32Array(CACHED_HASHES + 1);

  /** True once a key came again, or might have. */
  mayRepeat = false;

  add(date: string, channel: string, source: string, campaign: string): void {
    if (this.mayRepeat) return;
    let low = 0x811c9dc5;
    let high = 0x9e3779b9;
    for (let part = 0; part < 4; part++) {
      const known = this.hashIndex(part === 0 ? date : part === 1 ? channel : part === 2 ? source : campaign);
      low = Math.imul(low ^ (this.lowHashes[known] ?? 0), 0x9e3779b1);
      high = Math.imul(high ^ (this.highHashes[known] ?? 0) ^ (low >>> 15), 0x85ebca77);
    }
    this.insert((low ^ (low >>> 15)) >>> 0, high >>> 0 || 1);
  }

  /** Files repeat their texts, so most hashes are known already; one that finds no place takes the last. */
  private hashIndex(text: string): number {
    const known = this.hashes.get(text);
    if (known !== undefined) return known;
    const hash = hash53(text);
    const index = Math.min(this.hashes.size, CACHED_HASHES);
    this.lowHashes[index] = hash;
    this.highHashes[index] = hash / 0x1_0000_0000;
    if (index < CACHED_HASHES) this.hashes.set(text, index);
    return index;
  }

  /** Zero in `high` marks an empty slot. */
  private insert(low: number, high: number): void {
    const mask = this.slots - 1;
    let slot = (low ^ Math.imul(high, 0x27d4eb2f)) & mask;
    while (this.high[slot] !== 0) {
      if (this.high[slot] === high && this.low[slot] === low) {
        this.release();
        return;
      }
      slot = (slot + 1) & mask;
    }
    this.low[slot] = low;
    this.high[slot] = high;
    if (++this.count > this.slots * FILL) this.grow();
  }

  private grow(): void {
    if (this.slots === MOST_SLOTS) {
      this.release();
      return;
    }
    const { low, high } = this;
    this.slots *= 2;
    this.low = new Uint32Array(this.slots);
    this.high = new Uint32Array(this.slots);
    this.count = 0;
    for (let slot = 0; slot < high.length; slot++) {
      const [l, h] = [low[slot] ?? 0, high[slot] ?? 0];
      if (h !== 0) this.insert(l, h);
    }
  }

  private release(): void {
    this.mayRepeat = true;
    this.low = this.high = new Uint32Array(0);
    this.hashes.clear();
  }
}

/** cyrb53 of bryc, in the public domain: 53 well-mixed bits. */
function hash53(text: string): number {
  let h1 = 0xdeadbeef;
  let h2 = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    h1 = Math.imul(h1 ^ unit, 2654435761);
    h2 = Math.imul(h2 ^ unit, 1597334677);
  }
  h1 = Math.imul(h1 ^ (h1 >>> 16), 2246822507) ^ Math.imul(h2 ^ (h2 >>> 13), 3266489909);
  h2 = Math.imul(h2 ^ (h2 >>> 16), 2246822507) ^ Math.imul(h1 ^ (h1 >>> 13), 3266489909);
  return 4294967296 * (2097151 & h2) + (h1 >>> 0);
}
