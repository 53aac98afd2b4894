import { loggerFor } from '#runtime/logger.js';
import type { GrowingFile } from '#storage/growing-file.js';
import type { ObjectBody, ObjectStore, PutOptions } from '#storage/object-store.js';
import { retryWhileAway } from './retry-while-away.js';

const log = loggerFor('exports');

/**
 * A file on its way into the object storage: a large one begins while it is built, and what the storage does not take then
 * is put again as a whole, when it is back.
 */
export class FilePut {
  private meanwhile = Promise.resolve(false);

  constructor(
    private readonly objects: ObjectStore,
    readonly key: string,
    private readonly options: PutOptions & { signal: AbortSignal },
  ) {}

  /** Puts what grows. */
  begin(file: GrowingFile): void {
    this.meanwhile = this.put(file).then(
      () => true,
      (error: unknown) => {
        log.warn({ err: error }, 'a file was not stored while it was built');
        return false;
      },
    );
  }

  /** Stores the whole file, waiting for the storage. */
  async finish(body: ObjectBody): Promise<void> {
    if (await this.meanwhile) return;
    await retryWhileAway(() => this.put(body), this.options.signal);
  }

  /** Waits for what was begun, of a file that broke. */
  async settled(): Promise<void> {
    await this.meanwhile;
  }

  private put(body: ObjectBody | GrowingFile): Promise<void> {
    return this.objects.put(this.key, body, this.options);
  }
}
