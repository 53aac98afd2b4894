/** The seven columns of a cost import, in the order in which a file without a header is read. */
const COST_COLUMNS = ['date', 'channel', 'source', 'campaign', 'cost', 'currency', 'revenue'] as const;
type CostColumn = (typeof COST_COLUMNS)[number];

/** The text of each column of one row, as written; an absent one is empty. */
export type CostCells = Record<CostColumn, string>;

const ALIASES: Record<string, CostColumn> = { spend: 'cost', week: 'date', week_ending: 'date' };

function columnNamed(name: string): CostColumn | undefined {
  return COST_COLUMNS.find((column) => column === name) ?? (Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined);
}

/** Where each column stands in the records of a file; -1 when it has none. */
export type ColumnPositions = Record<CostColumn, number>;

const BY_POSITION: ColumnPositions = { date: 0, channel: 1, source: 2, campaign: 3, cost: 4, currency: 5, revenue: 6 };

/**
 * Reads the first record as a header. It is one when it has a date name or a cost name; names count trimmed and in any
 * case, a canonical name before its alias, the first of two equal ones.
 *
 * @returns undefined when the record is no header, and the file is to be read by position
 */
export function headerPositions(cells: readonly string[]): ColumnPositions | undefined {
  const positions = assign(
    cells.map((name, index) => [name, index] as const),
    -1,
  );
  return positions.date === -1 && positions.cost === -1 ? undefined : positions;
}

export function positionsWithoutHeader(): ColumnPositions {
  return BY_POSITION;
}

/** Short rows have empty cells at the end, extra cells are ignored. */
export function cellsAt(record: readonly string[], positions: ColumnPositions): CostCells {
  return {
    date: record[positions.date] ?? '',
    channel: record[positions.channel] ?? '',
    source: record[positions.source] ?? '',
    campaign: record[positions.campaign] ?? '',
    cost: record[positions.cost] ?? '',
    currency: record[positions.currency] ?? '',
    revenue: record[positions.revenue] ?? '',
  };
}

/** The members of a JSON row by the rules of a header; a row that is no object has no value at all. */
export function cellsOfMembers(members: ReadonlyArray<readonly [string, string | null]> | null): CostCells {
  return assign(
    (members ?? []).map(([name, value]) => [name, value ?? ''] as const),
    '',
  );
}

function assign<T>(named: readonly (readonly [string, T])[], absent: T): Record<CostColumn, T> {
  const found: Record<CostColumn, T> = {
    date: absent,
    channel: absent,
    source: absent,
    campaign: absent,
    cost: absent,
    currency: absent,
    revenue: absent,
  };
  const taken = new Set<CostColumn>();
  const candidates = named.flatMap(([name, value]) => {
    const normal = name.trim().toLowerCase();
    const column = columnNamed(normal);
    return column === undefined ? [] : [{ column, value, canonical: normal === column }];
  });
  for (const { column, value } of [
    ...candidates.filter(({ canonical }) => canonical),
    ...candidates.filter(({ canonical }) => !canonical),
  ]) {
    if (taken.has(column)) continue;
    taken.add(column);
    found[column] = value;
  }
  return found;
}
