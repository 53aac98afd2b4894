import type { Findings } from './findings.js';
import { rotatedKeys, type LogKey } from './log-keys.js';
import type { VerifierKey } from './signed-note.js';

/**
 * Which key signs at which point of a log: the first one registered, and after each `key_rotation` the next. So the
 * chain itself says when a key is valid, and the table of keys only has to agree.
 */
export class KeyEpochs {
  private rotations = 0;

  /** @param keys all that are registered, newest last */
  constructor(
    private readonly keys: readonly LogKey[],
    private readonly findings: Findings,
  ) {}

  /** The key that signs checkpoints of this point. */
  get current(): LogKey | undefined {
    return this.keys[this.rotations];
  }

  /** To be told of each entry `key_rotation`. */
  rotate(seq: number, body: string): void {
    const rotated = rotatedKeys(payloadOf(body));
    const [before, after] = [this.keys[this.rotations], this.keys[this.rotations + 1]];
    if (rotated === undefined || !isSame(before, rotated.old) || !isSame(after, rotated.new))
      this.findings.add({
        seq,
        text: `entry ${seq} does not hand over from one key of the log to the next`,
        breaks: true,
      });
    this.rotations++;
  }

  /** After the last entry. */
  end(): void {
    const expected = this.keys.length === 0 ? 0 : this.rotations + 1;
    if (this.keys.length !== expected)
      this.findings.broken(`${this.keys.length} keys are registered, but the entries hand over to ${expected}`);
  }
}

function payloadOf(body: string): unknown {
  try {
    return (JSON.parse(body) as { payload?: unknown }).payload ?? {};
  } catch {
    return {};
  }
}

function isSame(one: VerifierKey | undefined, other: VerifierKey): boolean {
  return one?.name === other.name && one.publicKey.equals(other.publicKey);
}
