import { bytesOf } from '#csv/bytes-of.js';
import type { Column, TableRow } from '#csv/column.js';
import { writeCsv } from '#csv/write-csv.js';
import { writeJson } from '#csv/write-json.js';
import type { ExportFile } from '#contracts/exports.js';
import type { ExportContent, ExportDefinition, ExportRequest, ExportSnapshot } from './export-definition.js';
import { fileMetadata, metadataLines, type FileMetadata } from './file-metadata.js';
import { readTable, type Counted, type TableQuery } from './read-table.js';

const SAMPLE_ROWS = 200;

/** A file that is the result of one query. */
export interface TableExport<Row extends object> {
  file: ExportFile;
  /** Its columns, in order. */
  layout: readonly Column<Row>[];
  /** Rows that the file holds at most. */
  limit: number;
  /** See ExportDefinition. */
  heavy?: boolean;
  /**
   * The query of the first `limit` rows, by the keys of the layout, in the order of the file, and with a column `total`,
   * the number of all.
   *
   * @param looksUp whether it is run in this way
   */
  sql(limit: number, looksUp: boolean): string;
  /** Yields `total` instead, for a query of more than 5,000 rows: its first ones come without finding all. */
  countSql?: string;
  /**
   * Rows are looked up one by one, by an index. Off by default, for sums over many rows: the planner takes those of an asset
   * that is newer than its statistics for almost none, would fetch each by itself and compare each with each. A function
   * decides it for the rows, by what `countSql` has found.
   */
  looksUp?: boolean | ((counted: Counted) => boolean);
  /** Of both queries. Default: $1 is the asset, $2 and $3 are the first and the last day. */
  parameters?(request: ExportRequest, snapshot: ExportSnapshot): unknown[] | Promise<unknown[]>;
  /** Of the file, without extension. Default `<service>-<file>-<from>_<to>`. */
  name?: string;
  /** Columns that members with the cost data restriction do not get. */
  costKeys?: readonly string[];
  /** What the file calls itself in metadata, after the service's name. */
  title?: string;
  /** CSV begins with a byte-order mark and the metadata as `#` lines; both forms end with totals. */
  isPresented?: boolean;
  /** The member of JSON with the rows. Default `rows`, which comes with `columns`. */
  jsonRows?: 'rows' | 'records';
}

/** The definition of a file by its query and its layout. */
export function tableExport<Row extends object = TableRow>(table: TableExport<Row>): ExportDefinition {
  const { file, layout, limit, costKeys = [], title, isPresented = false, jsonRows = 'rows' } = table;

  const omits = ({ parameters }: ExportRequest, key: string): boolean => parameters.omitCost && costKeys.includes(key);

  async function query(snapshot: ExportSnapshot, request: ExportRequest, rows: number): Promise<TableQuery> {
    const { from, to } = request.parameters;
    const parameters = (await table.parameters?.(request, snapshot)) ?? [request.assetId, from, to];
    const { countSql, looksUp = false } = table;
    return { sql: (isLookedUp) => table.sql(rows, isLookedUp), countSql, parameters, limit: rows, looksUp };
  }

  /** Rows written in the form that is asked for. */
  function write(
    rows: Iterable<Row> | AsyncIterable<Row>,
    request: ExportRequest,
    metadata: FileMetadata | undefined,
  ): { chunks: AsyncIterable<Buffer>; rows: number; formulasEscaped?: number } {
    const { format, bom = isPresented, escapeFormulas } = request.parameters;
    const columns = layout.filter(({ key }) => !omits(request, key));
    if (format === 'json')
      return writeJson(rows, {
        columns,
        rowsKey: jsonRows,
        describeColumns: jsonRows === 'rows',
        totals: isPresented,
        ...(metadata === undefined ? {} : { metadata }),
      });
    return writeCsv(rows, {
      columns,
      bom,
      escapeFormulas,
      ...(isPresented && metadata !== undefined ? { preamble: metadataLines(metadata) } : {}),
      ...(isPresented ? { totalLabel: 'Total' } : {}),
    });
  }

  return {
    file,
    heavy: table.heavy ?? false,

    fileName({ parameters: { serviceName, from, to, format } }) {
      return `${table.name ?? `${serviceName}-${file}-${from}_${to}`}.${format}`;
    },

    async content(snapshot, request): Promise<ExportContent> {
      const { total, rows } = await readTable<Row>(snapshot, await query(snapshot, request, limit));
      const metadata = title === undefined ? undefined : fileMetadata(request, title);
      const written = write(rows, request, metadata);
      const isGenerated = metadata !== undefined && (isPresented || request.parameters.format === 'json');
      return {
        chunks: written.chunks,
        counts: () => ({ rows: written.rows, formulasEscaped: written.formulasEscaped ?? 0 }),
        limit,
        truncated: Math.max(0, total - limit),
        columnsOmitted: layout.filter(({ key }) => omits(request, key)).map(({ header }) => header),
        holdsCost: costKeys.length > 0 && !request.parameters.omitCost,
        ...(isGenerated ? { generated: metadata.generated } : {}),
      };
    },

    async estimate(snapshot, request) {
      const { total, rows } = await readTable<Row>(snapshot, await query(snapshot, request, SAMPLE_ROWS));
      const metadata = title === undefined ? undefined : fileMetadata(request, title);
      const bytesBeside = await bytesOf(write([], request, metadata).chunks);
      const sample = write(rows, request, metadata);
      const bytes = (await bytesOf(sample.chunks)) - bytesBeside;
      return { rows: total, bytesPerRow: sample.rows === 0 ? 0 : bytes / sample.rows, limit, bytesBeside };
    },
  };
}
