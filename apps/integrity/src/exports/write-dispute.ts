import { Readable } from 'node:stream';
import { joinBlocks } from '#csv/join-blocks.js';
import { writeCsv, type CsvFile } from '#csv/write-csv.js';
import type { EntityDispute } from '#contracts/integrity/entity-dispute.js';
import {
  DISPUTE_DETECTORS_LAYOUT,
  DISPUTE_REASONS_LAYOUT,
  DISPUTE_SUMMARY_LAYOUT,
  summaryFields,
} from '#contracts/layouts/entity-dispute.layout.js';
import { metadataLines, type FileMetadata } from '#jobs/file-metadata.js';

export interface DisputeFile {
  chunks: AsyncIterable<Buffer>;
  /** Data rows of all blocks; final once `chunks` has ended. */
  counts(): { rows: number; formulasEscaped: number };
}

/** The dispute file: metadata and three blocks, an empty line between blocks. */
export function disputeCsv(
  { summary, reasons, detectors }: EntityDispute,
  metadata: FileMetadata,
  { bom, escapeFormulas }: { bom: boolean; escapeFormulas: boolean },
): DisputeFile {
  const blocks: CsvFile[] = [
    writeCsv(summaryFields(summary), {
      columns: DISPUTE_SUMMARY_LAYOUT,
      bom,
      escapeFormulas,
      preamble: metadataLines(metadata),
    }),
    writeCsv(reasons, { columns: DISPUTE_REASONS_LAYOUT }),
    writeCsv(detectors, { columns: DISPUTE_DETECTORS_LAYOUT }),
  ];
  return {
    chunks: joinBlocks(blocks),
    counts: () => ({
      rows: blocks.reduce((sum, { rows }) => sum + rows, 0),
      formulasEscaped: blocks.reduce((sum, { formulasEscaped }) => sum + formulasEscaped, 0),
    }),
  };
}

/** The same as JSON. */
export function disputeJson(dispute: EntityDispute, metadata: FileMetadata): DisputeFile {
  const rows = summaryFields(dispute.summary).length + dispute.reasons.length + dispute.detectors.length;
  const bytes = Buffer.from(`${JSON.stringify({ metadata, ...dispute })}\n`);
  return { chunks: Readable.from([bytes]), counts: () => ({ rows, formulasEscaped: 0 }) };
}
