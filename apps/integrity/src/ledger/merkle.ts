import { createHash } from 'node:crypto';

/** Bytes of a SHA-256 hash. */
export const HASH_BYTES = 32;

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** SHA-256(0x00 ‖ data), RFC 6962 §2.1. */
export function leafHash(data: string | Buffer): Buffer {
  return createHash('sha256').update(LEAF).update(data).digest();
}

/** SHA-256(0x01 ‖ left ‖ right). */
export function nodeHash(left: Buffer, right: Buffer): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}

/** The root of no leaves. */
export function emptyRoot(): Buffer {
  return createHash('sha256').digest();
}

/** The largest power of two below `size`; `size` at least 2. */
export function splitPoint(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

/**
 * Grows a compact range: the roots of the perfect subtrees of the first `size` leaves, largest first. It is all that is
 * needed to add leaves and to know the root.
 *
 * @returns the range of `size` + 1 leaves; the one given stays as it is
 */
export function appendToRange(range: readonly Buffer[], size: number, leaf: Buffer): Buffer[] {
  const grown = range.slice();
  let node = leaf;
  for (let trees = size; trees % 2 === 1; trees = Math.floor(trees / 2)) {
    const left = grown.pop();
    if (left === undefined) throw new RangeError(`Not a range of ${size} leaves.`);
    node = nodeHash(left, node);
  }
  grown.push(node);
  return grown;
}

/** The root of a compact range. */
export function rangeRoot(range: readonly Buffer[]): Buffer {
  return range.length === 0 ? emptyRoot() : range.reduceRight((right, left) => nodeHash(left, right));
}

/** The root over leaf hashes, in time and memory of their number. */
export function merkleRoot(leaves: Iterable<Buffer>): Buffer {
  let range: Buffer[] = [];
  let size = 0;
  for (const leaf of leaves) range = appendToRange(range, size++, leaf);
  return rangeRoot(range);
}

/**
 * Inclusion proof of RFC 9162 §2.1.3: the leaf of this zero-based index is in the tree of that size and root. The index
 * and the size are bound by the proof.
 */
export function verifyInclusion(
  index: number,
  size: number,
  leaf: Buffer,
  proof: readonly Buffer[],
  root: Buffer,
): boolean {
  if (!isSize(index) || !isSize(size) || index >= size || !areHashes([leaf, root, ...proof])) return false;
  let [node, last] = [index, size - 1];
  let hash = leaf;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(sibling, hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && hash.equals(root);
}

/**
 * Consistency proof of RFC 9162 §2.1.4: the tree of `second` leaves begins with the one of `first`. Of an empty first
 * tree nothing can be said: false.
 */
export function verifyConsistency(
  first: number,
  second: number,
  firstRoot: Buffer,
  secondRoot: Buffer,
  proof: readonly Buffer[],
): boolean {
  if (!isSize(first) || !isSize(second) || first < 1 || first > second) return false;
  if (first === second) return proof.length === 0 && firstRoot.equals(secondRoot);
  if (!areHashes([firstRoot, secondRoot, ...proof])) return false;
  let [node, last] = [first - 1, second - 1];
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  // A perfect first tree is a subtree of the second, so its root stands in no proof.
  const [start, ...rest] = node === 0 ? [firstRoot, ...proof] : proof;
  if (start === undefined) return false;
  let [one, other] = [start, start];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      one = nodeHash(sibling, one);
      other = nodeHash(sibling, other);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      other = nodeHash(other, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && one.equals(firstRoot) && other.equals(secondRoot);
}

function half(number: number): number {
  return Math.floor(number / 2);
}

function isSize(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0;
}

function areHashes(hashes: readonly Buffer[]): boolean {
  return hashes.every((hash) => hash.length === HASH_BYTES);
}
