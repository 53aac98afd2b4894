import { statSync } from 'node:fs';
import { MAX_COLLECT_ERRORS, type CollectKind, type CollectReport } from '#contracts/collect/collect-report.js';
import { CommandFailure } from '../session.js';
import type { GatewayAccess } from './gateway-access.js';
import { postPiece } from './post-piece.js';
import { ProgressBar } from './progress-bar.js';
import { readPieces } from './read-pieces.js';

export interface LoadOptions {
  file: string;
  kind: CollectKind;
  access: GatewayAccess;
  /** Where a terminal may see how far it is. */
  progress: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;
}

/**
 * Posts a file to the gateway, piece by piece in its order. The lines of the report are those of the file.
 *
 * @throws CommandFailure saying also what was accepted before; loading the whole file again is safe
 */
export async function loadFile({ file, kind, access, progress }: LoadOptions): Promise<CollectReport> {
  const report: CollectReport = { accepted: 0, rejected: 0, ip_dropped: 0, errors: [] };
  let read = 0;
  const bar = new ProgressBar(statSync(file, { throwIfNoEntry: false })?.size ?? 0, progress);
  const show = (): void => {
    bar.show(read, `${report.accepted} accepted, ${report.rejected} rejected`);
  };
  try {
    for await (const { body, fileLines, tooLong } of readPieces(file, kind, (bytes) => (read = bytes))) {
      show();
      const answer = body.length === 0 ? NOTHING : await postPiece(access, kind, body);
      const errors = answer.errors.map((error) => ({ ...error, line: fileLines[error.line - 1] ?? error.line }));
      add(report, { ...answer, errors: [...errors, ...tooLong].sort((a, b) => a.line - b.line) }, tooLong.length);
      show();
    }
  } catch (error) {
    if (report.accepted === 0) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const sentence = /[.!?]$/.test(reason) ? reason : `${reason}.`;
    throw new CommandFailure(
      `${sentence} ${report.accepted} records were accepted before; load the file again, nothing counts twice.`,
    );
  } finally {
    bar.clear();
  }
  if (report.accepted + report.rejected === 0) throw new CommandFailure(`${file} has nothing to load.`);
  return report;
}

const NOTHING: CollectReport = { accepted: 0, rejected: 0, ip_dropped: 0, errors: [] };

function add(sum: CollectReport, piece: CollectReport, tooLong: number): void {
  sum.accepted += piece.accepted;
  sum.rejected += piece.rejected + tooLong;
  sum.ip_dropped += piece.ip_dropped;
  sum.errors.push(...piece.errors.slice(0, MAX_COLLECT_ERRORS - sum.errors.length));
}
