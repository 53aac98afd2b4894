import { COLLECT_MAX_BYTES, COLLECT_MAX_LINE_BYTES, type LineIssue } from '#contracts/collect/collect-report.js';

/** A report names 1,000 lines at most, and a piece that is sent again should not be large. */
const MAX_LINES = 20_000;
const LF = Buffer.from('\n');

/** A body for the gateway, made of lines of a file. */
export interface Piece {
  body: Buffer;
  /** For each line of the body the line of the file on which it began. */
  fileLines: readonly number[];
  /** Lines that are left out because they are too long to send. */
  tooLong: readonly LineIssue[];
}

/** Gathers lines into pieces of at most 8 MB and 20,000 lines. Empty lines are left out. */
export class PieceBuilder {
  private parts: Buffer[] = [];
  private bytes = 0;
  private fileLines: number[] = [];
  private tooLong: LineIssue[] = [];

  /** @returns the piece that is full with the lines before */
  add(line: Buffer, fileLine: number): Piece | undefined {
    const isFull = this.fileLines.length >= MAX_LINES || this.bytes + line.length + 1 > COLLECT_MAX_BYTES;
    const full = isFull ? this.take() : undefined;
    this.parts.push(line, LF);
    this.bytes += line.length + 1;
    this.fileLines.push(fileLine);
    return full;
  }

  addTooLong(fileLine: number): void {
    const message = `The line has more than ${COLLECT_MAX_LINE_BYTES} bytes.`;
    this.tooLong.push({ line: fileLine, field: '', code: 'invalid_json', message });
  }

  /** The rest; undefined when there is none. */
  take(): Piece | undefined {
    if (this.fileLines.length === 0 && this.tooLong.length === 0) return undefined;
    const piece = { body: Buffer.concat(this.parts), fileLines: this.fileLines, tooLong: this.tooLong };
    this.parts = [];
    this.bytes = 0;
    this.fileLines = [];
    this.tooLong = [];
    return piece;
  }
}
