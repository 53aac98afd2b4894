import type { Readable } from 'node:stream';
import type { GrowingFile } from './growing-file.js';

/** Bytes in memory, or a finished file and its size. The file must not be written to any more; it may be removed after `put`. */
export type ObjectBody = Buffer | FinishedFile;

export interface FinishedFile {
  path: string;
  bytes: number;
}

export interface PutOptions {
  /** Never guessed from the name. */
  contentType: string;
  signal?: AbortSignal;
}

export interface GetOptions {
  /** First byte, from 0. */
  from?: number;
  /** Last byte, inclusive; beyond the end means up to the end. */
  to?: number;
  /** Also ends a stream that is being read. */
  signal?: AbortSignal;
}

export interface PresignOptions {
  expiresInSeconds: number;
  /** The name under which the browser saves the file. */
  fileName: string;
  contentType: string;
}

/**
 * Files of imports and exports, and checkpoints, by key. A key is written once, but for `latestCheckpointKey`. Whatever
 * can't be done because the store can't be reached, does not answer or is overloaded fails with an error that
 * `isDependencyAway` recognises.
 */
export abstract class ObjectStore {
  /**
   * Stores a whole object or nothing: when it settles well the object is durable and has exactly the size declared.
   * Settles in bounded time, also when the store goes silent; waiting for a file that still grows does not count. The store
   * may take what is there of such a file already, but has no object before its end, and none when it breaks.
   *
   * @throws the reason why a growing file broke
   */
  abstract put(key: string, body: ObjectBody | GrowingFile, options: PutOptions): Promise<void>;

  /**
   * The object's bytes, or the part `from`-`to`. The stream fails when the store goes away in the middle; it never ends short.
   *
   * @throws ObjectNotFoundError
   * @throws RangeOutsideError `from` lies at or behind the end
   */
  abstract get(key: string, options?: GetOptions): Promise<Readable>;

  /** Size in bytes, or undefined when there is no such object. */
  abstract stat(key: string): Promise<{ bytes: number } | undefined>;

  /** Removing what is not there is no error. */
  abstract remove(key: string): Promise<void>;

  /** A URL that lets its holder GET the object until it expires. Does not look whether the object exists. */
  abstract presign(key: string, options: PresignOptions): Promise<string>;

  /** Throws when the store does not work. A good answer holds 10 seconds. */
  abstract check(): Promise<void>;

  /** Makes what the store needs: bucket or directory, and the rules by which old objects expire. Idempotent. */
  abstract prepare(): Promise<void>;

  /** Removes objects past their days, as of `now`; returns how many. An S3 server does this by itself: 0. */
  abstract expire(now: Date): Promise<number>;

  /** Lets go of connections. */
  close(): Promise<void> | void {
    return undefined;
  }
}

/** There is no object under this key. */
export class ObjectNotFoundError extends Error {
  constructor(readonly key: string) {
    super(`There is no object ${key}.`);
    this.name = 'ObjectNotFoundError';
  }
}

/** The first byte asked for lies at or behind the object's end. */
export class RangeOutsideError extends Error {
  constructor(readonly key: string) {
    super(`The range lies outside the object ${key}.`);
    this.name = 'RangeOutsideError';
  }
}

/** The body is not the size that was declared; nothing was stored. */
export class WrongSizeError extends Error {
  constructor(declared: number, actual: number) {
    super(`The body has ${actual} bytes instead of the ${declared} declared.`);
    this.name = 'WrongSizeError';
  }
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const KEY = new RegExp(
  `^(?:(?:imports|exports)/${UUID}/${UUID}/([\\w.-]+)|checkpoints/${UUID}/([1-9]\\d{0,15}|latest)\\.txt)$`,
);

/** `<kind>/<asset>/<id of the import or export>/<file name>`. */
export function objectKey(kind: 'imports' | 'exports', assetId: string, id: string, fileName: string): string {
  const key = `${kind}/${assetId}/${id}/${fileName}`;
  assertObjectKey(key);
  return key;
}

/** `checkpoints/<asset>/<entries>.txt`: a signed checkpoint. These never expire. */
export function checkpointKey(assetId: string, size: number): string {
  const key = `checkpoints/${assetId}/${size}.txt`;
  assertObjectKey(key);
  return key;
}

/** A copy of the newest checkpoint of an asset, the only object that is overwritten. */
export function latestCheckpointKey(assetId: string): string {
  const key = `checkpoints/${assetId}/latest.txt`;
  assertObjectKey(key);
  return key;
}

/**
 * Keys come out of messages, which are not trusted: one that is not ours is refused before a store sees it.
 *
 * @throws Error for anything but `(imports|exports)/<uuid>/<uuid>/<name>` and `checkpoints/<uuid>/(<entries>|latest).txt`,
 * and for the names `.`, `..` and over 200 characters
 */
export function assertObjectKey(key: string): void {
  const [, file, checkpoint] = KEY.exec(key) ?? [];
  const name = file ?? checkpoint;
  if (name === undefined || name.length > 200 || /^\.+$/.test(name)) {
    throw new Error(`Not an object key: ${JSON.stringify(key.slice(0, 300))}.`);
  }
}

/** @throws RangeError for a range no object can have */
export function assertRange({ from = 0, to = from }: GetOptions): void {
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 0 || to < from) {
    throw new RangeError(`Not a range of bytes: ${from}-${to}.`);
  }
}
