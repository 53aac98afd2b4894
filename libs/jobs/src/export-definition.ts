import type { ExportFile, ExportParameters } from '#contracts/exports.js';

/** What a file is made for. */
export interface ExportRequest {
  assetId: string;
  parameters: ExportParameters;
  /** The time in files with a Generated line. */
  now: Date;
}

/** To be read once; a buffer is good until the next is asked for. */
export interface CopiedRows extends AsyncIterable<Buffer> {
  /** Known once they have ended. */
  readonly rowCount: number | undefined;
  /** They are not wanted any more; the snapshot's connection may be lost. */
  destroy(reason: unknown): void;
}

/** One read-only repeatable-read transaction: everything in a file is of one moment. */
export interface ExportSnapshot {
  query<Row>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  /**
   * The output of a `COPY (…) TO STDOUT`. The connection is busy until its rows have ended; further copies wait for their
   * turn. The first megabytes come without a reader.
   */
  copyTo(sql: string): CopiedRows;
  /** A second connection on the same snapshot; undefined when the pool is too small for it. */
  second(): Promise<ExportSnapshot | undefined>;
}

/** A file that is made while it is read. */
export interface ExportContent {
  /** To be read once; a buffer is good until the next is asked for. */
  chunks: AsyncIterable<Buffer>;
  /** Data rows, and cells that got a leading `'`; final once `chunks` has ended. */
  counts(): { rows: number; formulasEscaped: number };
  /** Null: the file has no cap. */
  limit: number | null;
  /** Rows left out because of the cap. */
  truncated: number;
  /** Columns left out because of a restriction, by their header. */
  columnsOmitted: readonly string[];
  /** Whether it holds what a cost-restricted member may not see. */
  holdsCost: boolean;
  /** The text of its Generated line or member, which does not count for the ETag; it stands in the first 64 KiB. */
  generated?: string;
}

/** What a file would be; `rows` counts those before the cap. */
export interface ExportEstimate {
  rows: number;
  bytesPerRow: number;
  limit: number | null;
  /** Of what stands beside the rows: byte-order mark, metadata, header, totals. Left out where `bytesPerRow` covers it. */
  bytesBeside?: number;
}

/** One kind of file: its name, the query behind it, its layout. */
export interface ExportDefinition {
  readonly file: ExportFile;
  /** It may take long: it never runs in the slot that is kept for small files. */
  readonly heavy?: boolean;
  /** Runs to its end before the snapshot is taken: what the file needs and a snapshot can't write. May open transactions of its own. */
  prepare?(request: ExportRequest): Promise<void>;
  fileName(request: ExportRequest): string;
  content(snapshot: ExportSnapshot, request: ExportRequest): Promise<ExportContent>;
  estimate(snapshot: ExportSnapshot, request: ExportRequest): Promise<ExportEstimate>;
}
