import { bytesOf } from '#csv/bytes-of.js';
import type { CsvFile } from '#csv/write-csv.js';
import type { ExportEstimate } from '#jobs/export-definition.js';

/** What a small file would be, by making it. */
export async function measured(file: CsvFile): Promise<ExportEstimate> {
  const bytes = await bytesOf(file.chunks);
  if (file.rows === 0) return { rows: 0, bytesPerRow: 0, limit: null, bytesBeside: bytes };
  return { rows: file.rows, bytesPerRow: bytes / file.rows, limit: null };
}
