import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { integrityData } from '../../../../test/support/integrity-data.js';
import { MerkleTree } from './merkle-tree.js';
import {
  appendToRange,
  emptyRoot,
  leafHash,
  merkleRoot,
  nodeHash,
  rangeRoot,
  splitPoint,
  verifyConsistency,
  verifyInclusion,
} from './merkle.js';

interface Vectors {
  inclusion: {
    desc: string;
    leafIdx: number;
    treeSize: number;
    root: string;
    leafHash: string;
    proof: string[] | null;
    wantErr: boolean;
  }[];
  consistency: {
    desc: string;
    size1: number;
    size2: number;
    root1: string;
    root2: string;
    proof: string[] | null;
    wantErr: boolean;
  }[];
}

const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
const published = integrityData('rfc6962-proof-vectors.json');
if (published !== undefined) {
  const { inclusion, consistency } = JSON.parse(published) as Vectors;

  describe('the published vectors of RFC 6962', () => {
    it('are 196', () => {
      expect(inclusion.length + consistency.length).toBe(196);
    });

    it.each(inclusion)('inclusion of $leafIdx in $treeSize: $desc', (vector) => {
      const { leafIdx, treeSize, leafHash: leaf, proof, root, wantErr } = vector;
      expect(verifyInclusion(leafIdx, treeSize, bytes(leaf), (proof ?? []).map(bytes), bytes(root))).toBe(!wantErr);
    });

    it.each(consistency)('consistency of $size1 with $size2: $desc', (vector) => {
      const { size1, size2, root1, root2, proof, wantErr } = vector;
      expect(verifyConsistency(size1, size2, bytes(root1), bytes(root2), (proof ?? []).map(bytes))).toBe(!wantErr);
    });
  });
}

const leaves = (count: number): Buffer[] => Array.from({ length: count }, (_, index) => leafHash(`leaf ${index}`));

/** As RFC 6962 §2.1 defines it, and not faster. */
function definedRoot(hashes: readonly Buffer[]): Buffer {
  const [only] = hashes;
  if (only === undefined) return emptyRoot();
  if (hashes.length === 1) return only;
  const split = splitPoint(hashes.length);
  return nodeHash(definedRoot(hashes.slice(0, split)), definedRoot(hashes.slice(split)));
}

function treeOf(hashes: readonly Buffer[]): MerkleTree {
  const tree = new MerkleTree();
  for (const hash of hashes) tree.append(hash);
  return tree;
}

describe('the root', () => {
  it('is that of the definition by range, by list and by tree, for every size up to 200', () => {
    const all = leaves(200);
    const tree = treeOf(all);
    let range: Buffer[] = [];
    expect(rangeRoot(range)).toEqual(definedRoot([]));
    for (let size = 1; size <= all.length; size++) {
      range = appendToRange(range, size - 1, all[size - 1] as Buffer);
      const expected = definedRoot(all.slice(0, size));
      expect(rangeRoot(range)).toEqual(expected);
      expect(merkleRoot(all.slice(0, size))).toEqual(expected);
      expect(tree.root(size)).toEqual(expected);
    }
  });

  it('leaves the range that it grows as it was', () => {
    const range = appendToRange([], 0, leafHash('a'));
    appendToRange(range, 1, leafHash('b'));
    expect(range).toEqual([leafHash('a')]);
  });
});

describe('proofs of a tree', () => {
  it('hold for each leaf and each earlier tree, of every size up to 40', () => {
    const all = leaves(40);
    const tree = treeOf(all);
    for (let size = 1; size <= all.length; size++) {
      for (let one = 1; one <= size; one++) {
        const leaf = tree.leaf(one - 1);
        expect(verifyInclusion(one - 1, size, leaf, tree.inclusionProof(one - 1, size), tree.root(size))).toBe(true);
        expect(verifyConsistency(one, size, tree.root(one), tree.root(size), tree.consistencyProof(one, size))).toBe(
          true,
        );
      }
    }
  });

  it('hold for no other index, size, leaf or root, and not when a hash of them is changed', () => {
    const tree = treeOf(leaves(300));
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 300 }), fc.nat(), fc.nat(), (size, some, other) => {
        const index = some % size;
        const proof = tree.inclusionProof(index, size);
        const [leaf, root] = [tree.leaf(index), tree.root(size)];
        const elsewhere = other % size;
        if (elsewhere !== index) {
          expect(verifyInclusion(elsewhere, size, leaf, proof, root)).toBe(false);
          expect(verifyInclusion(index, size, tree.leaf(elsewhere), proof, root)).toBe(false);
        }
        expect(verifyInclusion(index, size, leaf, proof, tree.root(size - 1))).toBe(false);
        const bent = proof.map((hash, place) => (place === other % proof.length ? leafHash(hash) : hash));
        expect(verifyInclusion(index, size, leaf, bent, root)).toBe(false);
        expect(verifyInclusion(index, size, leaf, proof.slice(1), root)).toBe(false);
        expect(verifyInclusion(index, size, leaf, [...proof, leaf], root)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('refuses what is not in the tree', () => {
    const tree = treeOf(leaves(3));
    expect(() => tree.inclusionProof(3)).toThrow(RangeError);
    expect(() => tree.root(4)).toThrow(RangeError);
    expect(() => tree.consistencyProof(0)).toThrow(RangeError);
    expect(() => new MerkleTree().root()).toThrow(RangeError);
    expect(() => appendToRange([], 1, leafHash(''))).toThrow(RangeError);
  });
});
