const FIRST_SLOTS = 1 << 12;
/** 32 MiB of slots; a file with more different keys is left to the database. */
const MOST_SLOTS = 1 << 22;
const FILL = 0.7;

/**
 * Says whether a file may hold the same key twice, so that the database need not look: a set of 64-bit hashes with open
 * addressing. It may err on the side of yes, never of no.
 */
export class SeenKeys {
  private slots = FIRST_SLOTS;
  private low = new Uint32Array(FIRST_SLOTS);
  private high = new Uint32Array(FIRST_SLOTS);
  private count = 0;

  /** True once a key came again, or might have. */
  mayRepeat = false;

  add(date: string, channel: string, source: string, campaign: string): void {
    if (this.mayRepeat) return;
    let low = 0x811c9dc5;
    let high = 0x9e3779b9;
    for (const text of [date, channel, source, campaign]) {
      for (let at = 0; at < text.length; at++) {
        const unit = text.charCodeAt(at);
        low = Math.imul(low ^ unit, 0x01000193);
        high = Math.imul(high ^ unit, 0x85ebca6b) ^ (high >>> 13);
      }
      low = Math.imul(low ^ 0x1_0000, 0x01000193);
      high = Math.imul(high ^ 0x1_0000, 0xc2b2ae35);
    }
    this.insert((low ^ (low >>> 15)) >>> 0, high >>> 0 || 1);
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
  }
}
