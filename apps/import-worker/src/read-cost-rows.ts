import { readCsv } from '#csv/read-csv.js';
import { readJsonRows } from '#csv/read-json-rows.js';
import type { ImportFormat } from '#contracts/cost-import.js';
import {
  cellsAt,
  cellsOfMembers,
  headerPositions,
  positionsWithoutHeader,
  type ColumnPositions,
  type CostCells,
} from './cost-columns.js';

export interface FileRow {
  /** Record number: comments and empty lines do not count, the header is 1. */
  line: number;
  /** Physical line, absent for JSON. */
  fileLine?: number;
  cells: CostCells;
}

export interface FileRows {
  rows: FileRow[];
  bytesRead: number;
}

/** The rows of a stored file, batch by batch, in the one form that both formats share. */
export function readCostRows(
  source: AsyncIterable<Buffer>,
  format: ImportFormat,
): AsyncGenerator<FileRows, void, undefined> {
  return format === 'csv' ? csvRows(source) : jsonRows(source);
}

async function* csvRows(source: AsyncIterable<Buffer>): AsyncGenerator<FileRows, void, undefined> {
  let positions: ColumnPositions | undefined;
  for await (const { records, bytesRead } of readCsv(source)) {
    let first = 0;
    if (positions === undefined && records[0] !== undefined) {
      positions = headerPositions(records[0].cells);
      if (positions === undefined) positions = positionsWithoutHeader();
      else first = 1;
    }
    const columns = positions ?? positionsWithoutHeader();
    const rows = (first === 0 ? records : records.slice(first)).map(({ line, fileLine, cells }) => ({
      line,
      fileLine,
      cells: cellsAt(cells, columns),
    }));
    yield { rows, bytesRead };
  }
}

async function* jsonRows(source: AsyncIterable<Buffer>): AsyncGenerator<FileRows, void, undefined> {
  for await (const { rows, bytesRead } of readJsonRows(source)) {
    yield { rows: rows.map(({ line, members }) => ({ line, cells: cellsOfMembers(members) })), bytesRead };
  }
}
