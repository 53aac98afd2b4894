import { HASH_BYTES, nodeHash, splitPoint } from './merkle.js';

/**
 * All leaves of a log in memory with the perfect subtrees over them, 64 bytes a leaf, for proofs in logarithmic time.
 * Growing costs one hash a leaf.
 */
export class MerkleTree {
  /** levels[h] holds the roots of the perfect subtrees of 2^h leaves, one after the other. */
  private readonly levels: HashList[] = [new HashList()];

  get size(): number {
    return this.levels[0]?.length ?? 0;
  }

  append(leaf: Buffer): void {
    let node = leaf;
    for (let height = 0; ; height++) {
      const level = (this.levels[height] ??= new HashList());
      level.push(node);
      if (level.length % 2 === 1) return;
      node = nodeHash(level.at(level.length - 2), node);
    }
  }

  /** @throws RangeError outside 0..size-1 */
  leaf(index: number): Buffer {
    this.assertSize(index + 1);
    return (this.levels[0] as HashList).at(index);
  }

  /** The root of the first `size` leaves; at least one. */
  root(size = this.size): Buffer {
    this.assertSize(size);
    return this.rootOf(0, size);
  }

  /** The path from the zero-based leaf to the root of the first `size` leaves, nearest sibling first (RFC 9162 §2.1.3.1). */
  inclusionProof(index: number, size = this.size): Buffer[] {
    this.assertSize(size);
    if (!Number.isSafeInteger(index) || index < 0 || index >= size)
      throw new RangeError(`No leaf ${index} in ${size}.`);
    const path: Buffer[] = [];
    let [start, count] = [0, size];
    while (count > 1) {
      const split = splitPoint(count);
      if (index < start + split) {
        path.push(this.rootOf(start + split, count - split));
        count = split;
      } else {
        path.push(this.rootOf(start, split));
        start += split;
        count -= split;
      }
    }
    return path.reverse();
  }

  /** That the tree of `second` leaves begins with the one of `first` (RFC 9162 §2.1.4.1). */
  consistencyProof(first: number, second = this.size): Buffer[] {
    this.assertSize(second);
    if (!Number.isSafeInteger(first) || first < 1 || first > second)
      throw new RangeError(`No proof from ${first} to ${second} leaves.`);
    const path: Buffer[] = [];
    let [start, count, rest] = [0, second, first];
    let whole = true;
    while (rest !== count) {
      const split = splitPoint(count);
      if (rest <= split) {
        path.push(this.rootOf(start + split, count - split));
        count = split;
      } else {
        path.push(this.rootOf(start, split));
        start += split;
        count -= split;
        rest -= split;
        whole = false;
      }
    }
    if (!whole) path.push(this.rootOf(start, count));
    return path.reverse();
  }

  /** `start` is a multiple of the power of two that `count` fills or splits at. */
  private rootOf(start: number, count: number): Buffer {
    const height = Math.log2(count);
    if (Number.isInteger(height)) return (this.levels[height] as HashList).at(start / count);
    const split = splitPoint(count);
    return nodeHash(this.rootOf(start, split), this.rootOf(start + split, count - split));
  }

  private assertSize(size: number): void {
    if (!Number.isSafeInteger(size) || size < 1 || size > this.size)
      throw new RangeError(`The tree has ${this.size} leaves, not ${size}.`);
  }
}

/** Hashes one after the other in one piece of memory, which grows by doubling. */
class HashList {
  length = 0;
  private memory = Buffer.alloc(16 * HASH_BYTES);

  push(hash: Buffer): void {
    if (hash.length !== HASH_BYTES) throw new RangeError('Not a SHA-256 hash.');
    const at = this.length * HASH_BYTES;
    if (at === this.memory.length) this.memory = Buffer.concat([this.memory], 2 * this.memory.length);
    hash.copy(this.memory, at);
    this.length++;
  }

  /** A view that stays good. */
  at(index: number): Buffer {
    return this.memory.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
  }
}
