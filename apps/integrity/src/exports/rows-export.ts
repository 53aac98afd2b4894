import { bytesOf } from '#csv/bytes-of.js';
import type { Column } from '#csv/column.js';
import { writeCsv } from '#csv/write-csv.js';
import type { ExportFile } from '#contracts/exports.js';
import type { ExportDefinition, ExportRequest, ExportSnapshot } from '#jobs/export-definition.js';

/** The rows of a file, in its order. */
export interface FileRows<Row> {
  rows: readonly Row[];
  /** Null: the file has no cap. */
  limit: number | null;
  /** Rows left out because of the cap. */
  truncated: number;
}

/** A CSV file whose rows come together in memory; they are thousands at most. */
export interface RowsExport<Row> {
  file: ExportFile;
  layout: readonly Column<Row>[];
  /** Of the file, after `<service>-` and without extension. */
  name: string;
  heavy?: boolean;
  prepare?(request: ExportRequest): Promise<void>;
  rows(snapshot: ExportSnapshot, request: ExportRequest): Promise<FileRows<Row>>;
}

/** The definition of a file by its rows and its layout. */
export function rowsExport<Row>(table: RowsExport<Row>): ExportDefinition {
  const { file, layout, name, heavy = false } = table;
  return {
    file,
    heavy,
    prepare: async (request) => table.prepare?.(request),

    fileName: ({ parameters }) => `${parameters.serviceName}-${name}.csv`,

    async content(snapshot, request) {
      const { rows, limit, truncated } = await table.rows(snapshot, request);
      const { bom = false, escapeFormulas } = request.parameters;
      const written = writeCsv(rows, { columns: layout, bom, escapeFormulas });
      return {
        chunks: written.chunks,
        counts: () => ({ rows: written.rows, formulasEscaped: written.formulasEscaped }),
        limit,
        truncated,
        columnsOmitted: [],
        holdsCost: false,
      };
    },

    async estimate(snapshot, request) {
      const { rows, limit, truncated } = await table.rows(snapshot, request);
      const { bom = false, escapeFormulas } = request.parameters;
      const write = (some: readonly Row[]) => writeCsv(some, { columns: layout, bom, escapeFormulas }).chunks;
      const bytesBeside = await bytesOf(write([]));
      const bytes = (await bytesOf(write(rows))) - bytesBeside;
      const bytesPerRow = rows.length === 0 ? 0 : bytes / rows.length;
      return { rows: rows.length + truncated, bytesPerRow, limit, bytesBeside };
    },
  };
}

/** The first rows of a list. */
export function capped<Row>(rows: readonly Row[], limit: number): FileRows<Row> {
  return { rows: rows.slice(0, limit), limit, truncated: Math.max(0, rows.length - limit) };
}
