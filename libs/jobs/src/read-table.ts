import type { ExportSnapshot } from './export-definition.js';

/** Up to so many rows come in one answer; more are fetched in pages, so that they are never in memory at once. */
const ROWS_AT_ONCE = 5_000;
const PAGE_ROWS = 2_000;

export interface TableQuery {
  /** Yields up to `limit` rows; without `countSql` with a column `total`, the rows before the limit. */
  sql: (looksUp: boolean) => string;
  /** One row with the column `total`. A query of more than 5,000 rows has it. */
  countSql?: string | undefined;
  parameters: unknown[];
  limit: number;
  /** See TableExport. */
  looksUp: boolean | ((counted: Counted) => boolean);
}

export interface TableRows<Row> {
  /** Before the limit. */
  total: number;
  /** To be read once. */
  rows: Iterable<Row> | AsyncIterable<Row>;
}

/** What `countSql` yields, as text. */
export type Counted = Readonly<Record<string, string | undefined>>;

/** Runs the query of a file; rows beyond those that come at once are fetched while they are read. */
export async function readTable<Row extends object>(
  snapshot: ExportSnapshot,
  { sql, countSql, parameters, limit, looksUp }: TableQuery,
): Promise<TableRows<Row>> {
  await advisePlanner(snapshot, looksUp === true);
  const [counted] = countSql === undefined ? [] : await snapshot.query<Counted>(countSql, parameters);
  const rowsLookUp = typeof looksUp === 'function' ? counted !== undefined && looksUp(counted) : looksUp;
  if (typeof looksUp === 'function') await advisePlanner(snapshot, rowsLookUp);
  if (limit <= ROWS_AT_ONCE) {
    const rows = await snapshot.query<Row & Counted>(sql(rowsLookUp), parameters);
    return { total: totalOf(counted ?? rows[0]), rows };
  }
  return { total: totalOf(counted), rows: pagedRows<Row>(snapshot, 'table_rows', sql(rowsLookUp), parameters) };
}

/**
 * The groups of a large report do not fit the default memory. Without the fraction a cursor is planned for its first rows.
 * What is looked up by an index is joined one by one or in the order of the index, never with all rows of a table.
 */
async function advisePlanner(snapshot: ExportSnapshot, looksUp: boolean): Promise<void> {
  await snapshot.query(
    `SELECT set_config('work_mem', '32MB', true), set_config('cursor_tuple_fraction', '1', true),
            set_config('enable_nestloop', $1, true), set_config('enable_indexscan', $1, true),
            set_config('enable_hashjoin', $2, true)`,
    looksUp ? ['on', 'off'] : ['off', 'on'],
  );
}

function totalOf(row: Counted | undefined): number {
  return Number(row?.['total'] ?? 0);
}

/**
 * The rows of a query, two pages of which are in memory at a time: one is fetched while that before it is read.
 *
 * @param cursor a name that no other such query of the snapshot has
 */
export async function* pagedRows<Row>(
  snapshot: ExportSnapshot,
  cursor: string,
  sql: string,
  parameters: unknown[],
): AsyncGenerator<Row> {
  await snapshot.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`, parameters);
  const fetchPage = (): Promise<Row[]> => {
    const page = snapshot.query<Row>(`FETCH ${PAGE_ROWS} FROM ${cursor}`);
    // It fails its reader, if there still is one.
    page.catch(() => undefined);
    return page;
  };
  for (let next: Promise<Row[]> | undefined = fetchPage(); next !== undefined;) {
    const page: Row[] = await next;
    next = page.length === PAGE_ROWS ? fetchPage() : undefined;
    yield* page;
  }
  await snapshot.query(`CLOSE ${cursor}`);
}
