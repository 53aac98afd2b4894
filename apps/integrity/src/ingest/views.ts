import { hash } from 'node:crypto';

/**
 * The page views of a session as pairs in one list: microseconds since 1970, path digest. In order of time; at equal times
 * the lower digest comes first, so that the order does not depend on which came first.
 */
export type Views = readonly number[];

/** Page views of a session that are kept, the earliest ones: a union of sessions keeps the same as all events at once. */
export const MAX_VIEWS = 5_000;

const TIME_BYTES = 8;
const DIGEST_BYTES = 6;
const VIEW_BYTES = TIME_BYTES + DIGEST_BYTES;
const SIGNATURE_BYTES = 8;
const MAX_KNOWN_PATHS = 20_000;

const digests = new Map<string, number>();

/** The first 6 bytes of SHA-256 as a number. */
export function pathDigest(path: string): number {
  let digest = digests.get(path);
  if (digest === undefined) {
    digest = hash('sha256', path, 'buffer').readUIntBE(0, DIGEST_BYTES);
    if (digests.size >= MAX_KNOWN_PATHS) digests.clear();
    digests.set(path, digest);
  }
  return digest;
}

/** Puts a page view into its place; mostly that is the end. */
export function addView(views: number[], at: number, path: number): void {
  let place = views.length;
  while (place > 0 && isBefore(at, path, views[place - 2] ?? 0, views[place - 1] ?? 0)) place -= 2;
  if (place === views.length) {
    if (place < MAX_VIEWS * 2) views.push(at, path);
    return;
  }
  views.splice(place, 0, at, path);
  if (views.length > MAX_VIEWS * 2) views.length = MAX_VIEWS * 2;
}

export function mergeViews(a: Views, b: Views): Views {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const merged: number[] = [];
  for (let [inA, inB] = [0, 0]; merged.length < MAX_VIEWS * 2 && (inA < a.length || inB < b.length);) {
    const takesA =
      inB >= b.length || (inA < a.length && !isBefore(b[inB] ?? 0, b[inB + 1] ?? 0, a[inA] ?? 0, a[inA + 1] ?? 0));
    if (takesA) merged.push(a[inA++] ?? 0, a[inA++] ?? 0);
    else merged.push(b[inB++] ?? 0, b[inB++] ?? 0);
  }
  return merged;
}

function isBefore(at: number, path: number, otherAt: number, otherPath: number): boolean {
  return at < otherAt || (at === otherAt && path < otherPath);
}

export function packViews(views: Views): Buffer {
  const bytes = Buffer.allocUnsafe((views.length / 2) * VIEW_BYTES);
  for (let index = 0, offset = 0; index < views.length; index += 2, offset += VIEW_BYTES) {
    bytes.writeDoubleBE(views[index] ?? 0, offset);
    bytes.writeUIntBE(views[index + 1] ?? 0, offset + TIME_BYTES, DIGEST_BYTES);
  }
  return bytes;
}

export function unpackViews(bytes: Buffer): Views {
  const views: number[] = [];
  for (let offset = 0; offset < bytes.length; offset += VIEW_BYTES)
    views.push(bytes.readDoubleBE(offset), bytes.readUIntBE(offset + TIME_BYTES, DIGEST_BYTES));
  return views;
}

/** Times of the page views of the path of the first one: repeated clicks on an ad melt into one session. */
export function landingTimes(views: Views): number[] {
  const [, landing] = views;
  const times: number[] = [];
  for (let index = 0; index < views.length; index += 2) if (views[index + 1] === landing) times.push(views[index] ?? 0);
  return times;
}

export function distinctPaths(views: Views): number {
  // Most sessions have one or two.
  if (views.length <= 2) return views.length / 2;
  const paths = new Set<number>();
  for (let index = 1; index < views.length; index += 2) paths.add(views[index] ?? 0);
  return paths.size;
}

/** 16 hex digits for the sequence of paths, repeats included; '' with under two distinct paths. */
export function pathSignature(views: Views, distinct = distinctPaths(views)): string {
  if (distinct < 2) return '';
  const sequence = Buffer.allocUnsafe((views.length / 2) * DIGEST_BYTES);
  for (let index = 1, offset = 0; index < views.length; index += 2, offset += DIGEST_BYTES)
    sequence.writeUIntBE(views[index] ?? 0, offset, DIGEST_BYTES);
  return hash('sha256', sequence, 'hex').slice(0, SIGNATURE_BYTES * 2);
}
