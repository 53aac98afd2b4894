/** A file that is still being written, for a reader that does not want to wait for its end. Bytes that are there stay. */
export class GrowingFile {
  private bytes = 0;
  private state: 'grows' | 'whole' | 'broken' = 'grows';
  private reason: unknown;
  private waiting: (() => void)[] = [];

  constructor(readonly path: string) {}

  /** So many more bytes can be read. */
  grow(bytes: number): void {
    this.bytes += bytes;
    this.wake();
  }

  /** Nothing more will come. */
  end(): void {
    this.state = 'whole';
    this.wake();
  }

  /** It will never be whole: its reader fails with the reason. */
  break(reason: unknown): void {
    this.state = 'broken';
    this.reason = reason;
    this.wake();
  }

  /**
   * Waits until it has so many bytes, or is whole. @returns how many it has
   *
   * @throws the reason why it will never be whole · the signal's reason
   */
  async reach(bytes: number, signal?: AbortSignal): Promise<{ bytes: number; isWhole: boolean }> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.state === 'broken') throw this.reason;
      const isWhole = this.state === 'whole';
      if (isWhole || this.bytes >= bytes) return { bytes: this.bytes, isWhole };
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        signal?.addEventListener('abort', wake, { once: true });
        this.waiting.push(wake);
      });
    }
  }

  private wake(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }
}
