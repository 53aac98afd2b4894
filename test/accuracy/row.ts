/** A row of the table: what was measured beside its goal. */
export interface Row {
  /** Of what. */
  anchor: string;
  measure: string;
  measured: string;
  goal: string;
  /** Null: nothing to compare with, or a time, which depends on the machine. */
  isReached: boolean | null;
}

/** A number that should lie between two others, both included. */
export function between(
  { anchor, measure, goal }: Pick<Row, 'anchor' | 'measure' | 'goal'>,
  value: number,
  [low, high]: readonly [number, number],
  text = number(value),
): Row {
  return { anchor, measure, measured: text, goal, isReached: value >= low && value <= high };
}

/** A time: it is shown and decides nothing. */
export function time(anchor: string, seconds: number, goal: number): Row {
  const verdict = seconds <= goal ? '' : ' (slower)';
  return {
    anchor,
    measure: 'time',
    measured: `${seconds.toFixed(1)} s${verdict}`,
    goal: `≤ ${goal} s`,
    isReached: null,
  };
}

export function number(value: number): string {
  return Math.abs(value) >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

/** The rows as aligned text. */
export function rowsText(rows: readonly Row[]): string {
  const cells = rows.map(({ anchor, measure, measured, goal, isReached }) => [
    anchor,
    measure,
    measured,
    goal,
    isReached === null ? '' : isReached ? 'ok' : 'MISSED',
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
