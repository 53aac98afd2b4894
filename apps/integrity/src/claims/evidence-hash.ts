import { merkleRoot } from '../ledger/merkle.js';

/**
 * The RFC 6962 root of a tree whose leaf hashes are these entry hashes, in this order; one gives itself.
 *
 * @param hashes lower-case hex, at least one
 * @returns lower-case hex
 */
export function evidenceHash(hashes: readonly string[]): string {
  return merkleRoot(hashes.map((hash) => Buffer.from(hash, 'hex'))).toString('hex');
}
