/** Runs one SELECT: a pool, a transaction or the snapshot of an export. */
export type RowReader = <Row>(sql: string, parameters?: unknown[]) => Promise<Row[]>;

/** Reads through a data source or an entity manager. */
export function rowReader(source: { query<Rows>(sql: string, parameters?: unknown[]): Promise<Rows> }): RowReader {
  return <Row>(sql: string, parameters?: unknown[]) => source.query<Row[]>(sql, parameters);
}

/** Where a page of a list ends: the creation of its last row as text with microseconds, and its id. */
export type ListPosition = readonly [time: string, id: string];

/** Of a list: a row with the text of its creation, which the cursor of the next page is made of. */
export interface Listed<Item> {
  item: Item;
  id: string;
  created_text: string;
}

/** A date as text; the driver would make a local midnight of it. */
export function dateText(expression: string): string {
  return `to_char(${expression}, 'YYYY-MM-DD')`;
}

/** RFC 3339, whole seconds, as in the files. */
export function wholeSeconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
