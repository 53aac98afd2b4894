const WIDTH = 30;
const EVERY_MS = 100;

/** Says on a terminal how far a file is loaded, in one line that is drawn over; anywhere else it says nothing. */
export class ProgressBar {
  private drawnAt = 0;

  constructor(
    private readonly totalBytes: number,
    private readonly out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
  ) {}

  show(bytes: number, text: string): void {
    const now = performance.now();
    if (!this.out.isTTY || (this.drawnAt !== 0 && now - this.drawnAt < EVERY_MS)) return;
    this.drawnAt = now;
    const part = this.totalBytes === 0 ? 1 : Math.min(1, bytes / this.totalBytes);
    const filled = Math.floor(part * WIDTH);
    const bar = '#'.repeat(filled) + '-'.repeat(WIDTH - filled);
    this.out.write(`\r[${bar}] ${String(Math.floor(part * 100)).padStart(3)} %  ${text}\u001b[K`);
  }

  /** Leaves the line as it was before. */
  clear(): void {
    if (this.out.isTTY && this.drawnAt !== 0) this.out.write('\r\u001b[K');
  }
}
