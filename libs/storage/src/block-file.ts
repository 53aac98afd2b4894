import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { BLOCK_BYTES, giveBlock, takeBlock } from './memory-blocks.js';

/** Of bytes that are not on the disk yet; a writer that has more waits. */
const BEHIND_BYTES = 8 * BLOCK_BYTES;

/**
 * A new file that is written from its start while the next bytes are gathered. On a busy machine a write waits for a
 * processor much longer than it takes, so a writer that waited for each would mostly wait: what comes meanwhile goes in one.
 */
export class BlockFile {
  private block = takeBlock();
  private filled = 0;

  private constructor(
    private readonly stream: WriteStream,
    private readonly onWritten: (bytes: number) => void,
  ) {
    // A failed write fails the next add() or finish().
    stream.on('error', () => undefined);
  }

  /**
   * Makes the file; nobody else may read it.
   *
   * @param onWritten is told how many more bytes can be read
   * @throws EEXIST when there is one
   */
  static async create(path: string, onWritten: (bytes: number) => void): Promise<BlockFile> {
    const stream = createWriteStream(path, { flags: 'wx', mode: 0o600, highWaterMark: BEHIND_BYTES });
    await once(stream, 'open');
    return new BlockFile(stream, onWritten);
  }

  /** Takes a copy. @throws why an earlier write failed */
  async add(chunk: Buffer): Promise<void> {
    for (let taken = 0; taken < chunk.length;) {
      const copied = chunk.copy(this.block, this.filled, taken);
      taken += copied;
      this.filled += copied;
      if (this.filled === BLOCK_BYTES) this.send();
    }
    if (this.stream.errored !== null) throw this.stream.errored;
    if (this.stream.writableNeedDrain) await once(this.stream, 'drain');
  }

  /** Writes what is left and closes the file. @throws why a write failed */
  async finish(): Promise<void> {
    this.send();
    this.stream.end();
    await finished(this.stream);
  }

  /** Closes the file as it is. */
  async abandon(): Promise<void> {
    this.stream.destroy();
    await finished(this.stream).catch(() => undefined);
  }

  private send(): void {
    const { block, filled } = this;
    this.stream.write(block.subarray(0, filled), (error) => {
      giveBlock(block);
      if (error === undefined || error === null) this.onWritten(filled);
    });
    this.block = takeBlock();
    this.filled = 0;
  }
}
