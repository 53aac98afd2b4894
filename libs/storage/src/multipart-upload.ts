import type { S3Connection } from './s3.connection.js';
import { retrying, within } from './s3.connection.js';

const CLEAN_UP_MS = 5_000;

/** Where an object goes. */
export interface ObjectPlace {
  connection: S3Connection;
  bucket: string;
  key: string;
  contentType: string;
}

/** One upload of an object in parts; nothing is stored before it is complete. */
export class MultipartUpload {
  private readonly etags: { part: number; etag: string }[] = [];

  private constructor(
    private readonly place: ObjectPlace,
    private readonly uploadId: string,
  ) {}

  static async begin(place: ObjectPlace, ends: AbortSignal): Promise<MultipartUpload> {
    const { connection, bucket, key, contentType } = place;
    const client = connection.client(ends);
    const begin = () => client.initiateNewMultipartUpload(bucket, key, { 'Content-Type': contentType });
    return new MultipartUpload(place, await retrying(ends, begin));
  }

  /** How many parts it has. */
  get parts(): number {
    return this.etags.length;
  }

  /** @param part its number, from 1; they may come in any order */
  async put(part: number, bytes: Buffer, ends: AbortSignal): Promise<void> {
    const { connection, bucket: bucketName, key: objectName } = this.place;
    const client = connection.client(ends);
    const where = { bucketName, objectName, uploadID: this.uploadId, partNumber: part };
    const { etag } = await retrying(ends, () => client.uploadPart({ ...where, headers: {} }, bytes));
    this.etags.push({ part, etag });
  }

  /**
   * Makes the parts one object. When the answer to the first attempt was lost, the second finds no upload any more although
   * the object is there.
   *
   * @param bytes of the object
   */
  async complete(bytes: number, ends: AbortSignal): Promise<void> {
    const { connection, bucket, key } = this.place;
    const client = connection.client(ends);
    const parts = this.etags.toSorted((a, b) => a.part - b.part);
    try {
      await retrying(ends, () => client.completeMultipartUpload(bucket, key, this.uploadId, parts));
    } catch (error) {
      const stored = await client.statObject(bucket, key).catch(() => undefined);
      if (stored?.size !== bytes) throw error;
    }
  }

  /**
   * Does the work; when it fails, the parts are thrown away. By id, not removeIncompleteUpload(): that takes the newest upload
   * of the key, which may be another writer's.
   */
  async orAbandon(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const { connection, bucket, key } = this.place;
      await within(CLEAN_UP_MS, undefined, (signal) =>
        connection.client(signal).abortMultipartUpload(bucket, key, this.uploadId),
      ).catch(() => {
        // The server's own sweep of stale uploads takes what is left.
      });
      throw error;
    }
  }
}
