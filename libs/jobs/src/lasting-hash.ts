import { createHash } from 'node:crypto';

const HEAD_BYTES = 65_536;

/**
 * SHA-256 of a file without the text by which two makings of the same content differ, its time of making. The text is
 * left out where it occurs first, in the first 64 KiB.
 */
export class LastingHash {
  private readonly hash = createHash('sha256');
  private head: Buffer[] | undefined = [];
  private headBytes = 0;

  constructor(private readonly text: string) {}

  add(chunk: Buffer): void {
    if (this.head === undefined) {
      this.hash.update(chunk);
      return;
    }
    this.head.push(Buffer.from(chunk));
    this.headBytes += chunk.length;
    if (this.headBytes >= HEAD_BYTES) this.addHead(this.head);
  }

  /** @throws Error when the text is not in the file */
  digest(): Buffer {
    if (this.head !== undefined) this.addHead(this.head);
    return this.hash.digest();
  }

  private addHead(chunks: Buffer[]): void {
    const head = Buffer.concat(chunks);
    const start = head.indexOf(this.text);
    if (start < 0) throw new Error(`The file does not begin with its time of making, ${this.text}.`);
    this.hash.update(head.subarray(0, start)).update(head.subarray(start + Buffer.byteLength(this.text)));
    this.head = undefined;
  }
}
