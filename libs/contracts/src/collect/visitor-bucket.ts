import { VISITOR_BUCKETS } from './collected.js';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The bucket of a visitor, 0 to 31. It never changes: keys of messages and the locks of writers go by it. */
export function visitorBucket(distinctId: string): number {
  return idHash(distinctId) % VISITOR_BUCKETS;
}

/** The key of a message of collected records: one visitor's records stay in order on one partition. */
export function collectedKey(assetId: string, bucket: number): string {
  return `${assetId}:${bucket}`;
}

/**
 * 32 bits of an id: FNV-1a over the UTF-8 bytes, then murmur's final mix, because the low bits of FNV depend on the low
 * bits of the bytes alone.
 */
export function idHash(id: string): number {
  let hash = FNV_OFFSET;
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at);
    if (code >= 0x80) return mixed(hashBytes(Buffer.from(id)));
    hash = Math.imul(hash ^ code, FNV_PRIME);
  }
  return mixed(hash);
}

function hashBytes(bytes: Buffer): number {
  let hash = FNV_OFFSET;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return hash;
}

function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}
