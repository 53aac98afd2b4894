import type { Socket } from 'node:net';
import type { Connection, Submittable } from 'pg';
import { BLOCK_BYTES, giveBlock, takeBlock } from '#storage/memory-blocks.js';

/** Messages of the PostgreSQL protocol, by their first byte; others end the rows: CopyDone and ErrorResponse. */
const COPY_DATA = 'd'.charCodeAt(0);
const BETWEEN_ROWS = new Set(['H', 'N', 'S', 'A'].map((code) => code.charCodeAt(0)));
/** The length counts itself, not the code before it. */
const LENGTH_BYTES = 4;
const HEADER_BYTES = 1 + LENGTH_BYTES;
const NONE: Buffer = Buffer.alloc(0);
/** Of rows that nobody has taken yet: a connection goes on meanwhile, while the rows of another are taken. */
export const READ_AHEAD_BYTES = 4 * 1024 * 1024;

type DataListener = (chunk: Buffer) => void;

/**
 * The bytes of a `COPY (…) TO STDOUT`, given to `client.query()`, to be read once: a buffer is good until the next is asked
 * for. While rows come it reads the socket in place of `pg` and gathers them in blocks; pg-copy-streams cuts out and joins
 * each row, which for a million takes twice the time of the processor.
 */
export class CopyOut implements Submittable, AsyncIterable<Buffer> {
  /** Known at the end. */
  rowCount: number | undefined;
  /** Whether the connection is `pg`'s again. */
  isOver = false;
  /** Settles when `pg` takes the next statement, also after an error. */
  readonly over: Promise<void>;

  private settle: () => void = () => undefined;
  private socket: Socket | undefined;
  private listener: DataListener | undefined;
  /** Of a header that came in two pieces. */
  private header = NONE;
  /** Bytes that the current message still has, and whether they are rows. */
  private left = 0;
  private isData = false;

  private readonly full: Buffer[] = [];
  private block = NONE;
  private filled = 0;
  private isWhole = false;
  private failure: { reason: unknown } | undefined;
  private wake: () => void = () => undefined;

  constructor(private readonly sql: string) {
    this.over = new Promise((resolve) => (this.settle = resolve));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        if (this.failure !== undefined) throw this.failure.reason;
        const block = this.full.shift();
        if (block !== undefined) {
          if (!this.isFull) this.socket?.resume();
          yield block;
          giveBlock(block);
        } else if (this.isWhole) {
          if (this.filled > 0) yield this.block.subarray(0, this.filled);
          giveBlock(this.block);
          return;
        } else {
          await new Promise<void>((resolve) => (this.wake = resolve));
        }
      }
    } finally {
      this.destroy(new Error('The rows were not read to their end.'));
    }
  }

  /** No more rows are wanted: a reader fails. If not all have come, the connection is left in the middle of them. */
  destroy(reason: unknown): void {
    if (this.failure !== undefined) return;
    this.failure = { reason };
    this.full.length = 0;
    this.block = NONE;
    this.filled = 0;
    this.wake();
  }

  submit(connection: Connection): void {
    const { stream } = connection as unknown as { stream: Socket };
    const [listener, ...others] = stream.listeners('data') as DataListener[];
    if (listener === undefined || others.length > 0) throw new Error('The connection is not read by pg alone.');
    stream.off('data', listener).on('data', this.onData);
    this.socket = stream;
    this.listener = listener;
    (connection as unknown as { query(sql: string): void }).query(this.sql);
  }

  handleError(error: Error): void {
    this.isOver = true;
    this.destroy(error);
    // A connection that is gone never becomes ready.
    this.settle();
  }

  handleCommandComplete({ text }: { text?: string }): void {
    const rows = /^COPY (\d+)/.exec(text ?? '')?.[1];
    if (rows !== undefined) this.rowCount = Number(rows);
  }

  handleReadyForQuery(): void {
    this.isOver = true;
    // Not before: rows that end with an error, which may come in pieces, must never look complete.
    this.isWhole = true;
    this.wake();
    this.settle();
  }

  private get isFull(): boolean {
    return this.full.length * BLOCK_BYTES >= READ_AHEAD_BYTES;
  }

  private readonly onData = (chunk: Buffer): void => {
    const { length } = chunk;
    let at = 0;
    for (;;) {
      const end = Math.min(length, at + this.left);
      if (this.isData && end > at) this.gather(chunk, at, end);
      this.left -= end - at;
      at = end;
      if (at === length) break;
      const code = this.header[0] ?? chunk[at] ?? 0;
      if (code !== COPY_DATA && !BETWEEN_ROWS.has(code)) break;
      at += this.readHeader(chunk, at);
      this.isData = code === COPY_DATA;
    }
    if (at < length) this.giveBack(chunk.subarray(at));
    else if (this.isFull) this.socket?.pause();
  };

  private gather(chunk: Buffer, from: number, end: number): void {
    if (this.failure !== undefined) return;
    for (let at = from; at < end;) {
      if (this.block.length === 0) this.block = takeBlock();
      const copied = chunk.copy(this.block, this.filled, at, end);
      at += copied;
      this.filled += copied;
      if (this.filled < this.block.length) continue;
      this.full.push(this.block);
      this.block = NONE;
      this.filled = 0;
      this.wake();
    }
  }

  /** Of a header in two pieces the second may come with the next chunk. @returns how many bytes of this one belong to it */
  private readHeader(chunk: Buffer, at: number): number {
    if (this.header.length === 0 && at + HEADER_BYTES <= chunk.length) {
      this.left = chunk.readUInt32BE(at + 1) - LENGTH_BYTES;
      return HEADER_BYTES;
    }
    const piece = chunk.subarray(at, at + HEADER_BYTES - this.header.length);
    this.header = Buffer.concat([this.header, piece]);
    if (this.header.length === HEADER_BYTES) {
      this.left = this.header.readUInt32BE(1) - LENGTH_BYTES;
      this.header = NONE;
    }
    return piece.length;
  }

  private giveBack(rest: Buffer): void {
    const { socket, listener } = this;
    if (socket === undefined || listener === undefined) return;
    socket.off('data', this.onData).on('data', listener);
    this.socket = undefined;
    this.isOver = true;
    listener(rest);
    socket.resume();
  }
}
