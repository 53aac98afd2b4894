import { addAbortSignal, type Readable } from 'node:stream';
import { S3Error, type Client } from 'minio';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { loggerFor } from '#runtime/logger.js';
import { attachment } from './content-disposition.js';
import { GrowingFile } from './growing-file.js';
import { BYTES_AT_ONCE, PART_BYTES, PARTS_AT_ONCE, putFile, putGrowing, putWhole, type Turn } from './multipart-put.js';
import {
  assertObjectKey,
  assertRange,
  ObjectNotFoundError,
  ObjectStore,
  RangeOutsideError,
  type GetOptions,
  type ObjectBody,
  type PresignOptions,
  type PutOptions,
} from './object-store.js';
import { retrying, S3Connection, within } from './s3.connection.js';
import { Slots } from './slots.js';
import type { StorageConfig } from './storage.config.js';

const CHECK_HOLDS_MS = 10_000;
const CHECK_DEADLINE_MS = 1_500;
/** 1 MB/s: a large file gets the time that it needs at this rate on top of the deadline. */
const SLOWEST_BYTES_PER_MS = 1_000;

/** Objects in a bucket of an S3 server (MinIO and others), by plain S3 only. */
export class S3Store extends ObjectStore {
  private readonly inside: S3Connection;
  private readonly outside: S3Connection;
  private readonly bucket: string;
  private readonly puts: Slots;
  private readonly spareMemory: Buffer[][] = [];
  private goodUntil = 0;
  private checking: Promise<void> | undefined;

  constructor(private readonly config: StorageConfig) {
    super();
    const { S3_ENDPOINT, S3_PUBLIC_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY, S3_REGION, S3_TIMEOUT_MS } = config;
    const common = { accessKey: S3_ACCESS_KEY, secretKey: S3_SECRET_KEY, region: S3_REGION, silenceMs: S3_TIMEOUT_MS };
    this.inside = new S3Connection({ ...common, endpoint: S3_ENDPOINT });
    // A presigned URL signs its host, so it must be made for the host that clients use.
    this.outside = new S3Connection({ ...common, endpoint: S3_PUBLIC_ENDPOINT || S3_ENDPOINT });
    this.bucket = config.S3_BUCKET;
    this.puts = new Slots(config.S3_CONCURRENT_PUTS);
  }

  async put(key: string, body: ObjectBody | GrowingFile, options: PutOptions): Promise<void> {
    assertObjectKey(key);
    const { contentType, signal } = options;
    const place = { connection: this.inside, bucket: this.bucket, key, contentType };
    if (Buffer.isBuffer(body)) {
      await this.inTime(body.length, signal, (ends) => putWhole(place, body, ends));
    } else if (!(body instanceof GrowingFile)) {
      await this.takeTurn(body.bytes, signal, (turn) => putFile(place, body, turn));
    } else {
      const { bytes, isWhole } = await body.reach(BYTES_AT_ONCE + 1, signal);
      if (isWhole) await this.put(key, { path: body.path, bytes }, options);
      else await putGrowing(place, body, (count, work) => this.takeTurn(count, signal, work), signal);
    }
  }

  async get(key: string, options: GetOptions = {}): Promise<Readable> {
    assertObjectKey(key);
    assertRange(options);
    const { from = 0, to, signal } = options;
    // Length 0 would mean «to the end» to the client; assertRange makes it at least 1.
    const length = to === undefined ? undefined : to - from + 1;
    const stream = await within(this.config.S3_TIMEOUT_MS, signal, (ends) =>
      retrying(ends, () => this.inside.client(ends).getPartialObject(this.bucket, key, from, length)),
    ).catch((error: unknown) => {
      if (hasCode(error, 'NoSuchKey')) throw new ObjectNotFoundError(key);
      if (hasCode(error, 'InvalidRange')) throw new RangeOutsideError(key);
      throw error;
    });
    return signal === undefined ? stream : addAbortSignal(signal, stream);
  }

  async stat(key: string): Promise<{ bytes: number } | undefined> {
    assertObjectKey(key);
    try {
      const { size } = await this.quick((ends) => this.inside.client(ends).statObject(this.bucket, key));
      return { bytes: size };
    } catch (error) {
      if (hasCode(error, 'NotFound') || hasCode(error, 'NoSuchKey')) return undefined;
      throw error;
    }
  }

  async remove(key: string): Promise<void> {
    assertObjectKey(key);
    await this.quick((ends) => this.inside.client(ends).removeObject(this.bucket, key));
  }

  async presign(key: string, { expiresInSeconds, fileName, contentType }: PresignOptions): Promise<string> {
    assertObjectKey(key);
    return this.outside.client().presignedGetObject(this.bucket, key, expiresInSeconds, {
      'response-content-type': contentType,
      'response-content-disposition': attachment(fileName),
      'response-cache-control': 'private, no-store',
    });
  }

  async check(): Promise<void> {
    if (Date.now() < this.goodUntil) return;
    this.checking ??= this.look().finally(() => {
      this.checking = undefined;
    });
    await this.checking;
  }

  async prepare(): Promise<void> {
    await this.quick(async (ends) => {
      const client = this.inside.client(ends);
      if (!(await client.bucketExists(this.bucket))) {
        await client.makeBucket(this.bucket, this.config.S3_REGION).catch((error: unknown) => {
          if (!hasCode(error, 'BucketAlreadyOwnedByYou')) throw error;
        });
      }
      const { STORAGE_EXPORT_DAYS, STORAGE_IMPORT_DAYS } = this.config;
      await client.setBucketLifecycle(this.bucket, {
        Rule: [expiry('exports', STORAGE_EXPORT_DAYS), expiry('imports', STORAGE_IMPORT_DAYS)],
      });
      await this.keepVersions(client);
    });
  }

  /** So that nobody who may write can make an old checkpoint look like the newest. Some servers can't. */
  private async keepVersions(client: Client): Promise<void> {
    await client.setBucketVersioning(this.bucket, { Status: 'Enabled' }).catch((error: unknown) => {
      if (!(error instanceof S3Error) || isDependencyAway(error)) throw error;
      loggerFor('storage').warn({ err: error }, 'the bucket keeps no versions');
    });
  }

  expire(): Promise<number> {
    return Promise.resolve(0);
  }

  override close(): void {
    this.inside.close();
    this.outside.close();
  }

  /** Some work of a put, when it is its turn. */
  private takeTurn<T>(bytes: number, signal: AbortSignal | undefined, work: (turn: Turn) => Promise<T>): Promise<T> {
    return this.inTime(bytes, signal, (ends) =>
      this.puts.run(ends, async () => {
        const memory =
          this.spareMemory.pop() ?? Array.from({ length: PARTS_AT_ONCE }, () => Buffer.allocUnsafeSlow(PART_BYTES));
        try {
          return await work({ ends, memory });
        } finally {
          this.spareMemory.push(memory);
        }
      }),
    );
  }

  private inTime<T>(
    bytes: number,
    signal: AbortSignal | undefined,
    work: (ends: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return within(this.config.S3_PUT_DEADLINE_MS + Math.ceil(bytes / SLOWEST_BYTES_PER_MS), signal, work);
  }

  private quick<T>(work: (ends: AbortSignal) => Promise<T>): Promise<T> {
    return within(this.config.S3_TIMEOUT_MS, undefined, (ends) => retrying(ends, () => work(ends)));
  }

  private async look(): Promise<void> {
    const exists = await within(CHECK_DEADLINE_MS, undefined, (ends) =>
      this.inside.client(ends).bucketExists(this.bucket),
    );
    if (!exists) throw new Error(`The bucket ${this.bucket} does not exist.`);
    this.goodUntil = Date.now() + CHECK_HOLDS_MS;
  }
}

function expiry(kind: 'imports' | 'exports', days: number) {
  return {
    ID: `expire-${kind}`,
    Status: 'Enabled',
    Filter: { Prefix: `${kind}/` },
    Expiration: { Days: days },
    // With versions on, an expired or removed file would else stay for ever.
    NoncurrentVersionExpiration: { NoncurrentDays: 1 },
    // MinIO drops this silently (its own sweep does it), and would refuse it in a rule of its own; other servers need it.
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
  };
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof S3Error && error.code === code;
}
