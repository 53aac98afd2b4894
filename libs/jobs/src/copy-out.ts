import { Readable } from 'node:stream';
import type { Socket } from 'node:net';
import type { Connection, Submittable } from 'pg';

/** Messages of the PostgreSQL protocol, by their first byte; others end the rows: CopyDone and ErrorResponse. */
const COPY_DATA = 'd'.charCodeAt(0);
const BETWEEN_ROWS = new Set(['H', 'N', 'S', 'A'].map((code) => code.charCodeAt(0)));
/** The length counts itself, not the code before it. */
const LENGTH_BYTES = 4;
const HEADER_BYTES = 1 + LENGTH_BYTES;
const NONE: Buffer = Buffer.alloc(0);
const BUFFER_BYTES = 512 * 1024;

type DataListener = (chunk: Buffer) => void;

/**
 * The bytes of a `COPY (…) TO STDOUT`, given to `client.query()`. While rows come it reads the socket in place of `pg` and
 * moves them together where they lie; pg-copy-streams cuts out and joins each row, which for a million takes twice the
 * time of the processor.
 */
export class CopyOut extends Readable implements Submittable {
  /** Known at the end. */
  rowCount: number | undefined;
  /** Whether the connection is `pg`'s again. A stream that is destroyed before leaves it in the middle of the rows. */
  isOver = false;

  private socket: Socket | undefined;
  private listener: DataListener | undefined;
  /** Of a header that came in two pieces. */
  private header = NONE;
  /** Bytes that the current message still has, and whether they are rows. */
  private left = 0;
  private isData = false;

  constructor(private readonly sql: string) {
    super({ highWaterMark: BUFFER_BYTES });
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

  override _read(): void {
    if (!this.isOver) this.socket?.resume();
  }

  handleError(error: Error): void {
    this.isOver = true;
    this.destroy(error);
  }

  handleCommandComplete({ text }: { text?: string }): void {
    const rows = /^COPY (\d+)/.exec(text ?? '')?.[1];
    if (rows !== undefined) this.rowCount = Number(rows);
    // Not before: rows that end with an error, which may come in pieces, must never look complete.
    if (!this.destroyed) this.push(null);
  }

  handleReadyForQuery(): void {
    this.isOver = true;
  }

  private readonly onData = (chunk: Buffer): void => {
    const { length } = chunk;
    let rows = 0;
    let at = 0;
    for (;;) {
      const end = Math.min(length, at + this.left);
      if (this.isData && end > at) {
        chunk.copyWithin(rows, at, end);
        rows += end - at;
      }
      this.left -= end - at;
      at = end;
      if (at === length) break;
      const code = this.header[0] ?? chunk[at] ?? 0;
      if (code !== COPY_DATA && !BETWEEN_ROWS.has(code)) break;
      at += this.readHeader(chunk, at);
      this.isData = code === COPY_DATA;
    }
    const wantsMore = rows === 0 || this.push(chunk.subarray(0, rows));
    if (at < length) this.giveBack(chunk.subarray(at));
    else if (!wantsMore) this.socket?.pause();
  };

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
