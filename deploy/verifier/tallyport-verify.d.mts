/** What is read, as bytes of the files. */
export interface ClaimInput {
  claim: Uint8Array;
  bundle: Uint8Array;
  /** The verifier key that must have signed. */
  key?: string;
  /** A checkpoint of the log that the reader kept. */
  checkpoint?: Uint8Array;
}

export interface ClaimVerdict {
  /** 0: all rows hold, 1: a check failed, 2: an input can't be read. */
  exit: 0 | 1 | 2;
  /** Whether the key came from the reader. */
  trusted: boolean;
  /** Why nothing of the bundle holds, or why an input can't be read. */
  problem?: string;
  rows: { row: number; asn: string; channel: string; ok: boolean; reasons: string[] }[];
}

export function verifyClaim(input: ClaimInput): ClaimVerdict;
/** What a person reads: a line a row. */
export function verdictLines(verdict: ClaimVerdict): string[];
/** Runs the command with the words behind its name. */
export function runVerifier(words: readonly string[]): { exit: 0 | 1 | 2; stdout: string; stderr: string };
/** Records of an RFC 4180 file. */
export function parseCsv(text: string): string[][];
