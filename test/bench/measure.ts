/** One row of the table of goals. */
export interface Figure {
  name: string;
  unit: 's' | 'ms' | 'MB';
  values: number[];
  /** What the median is divided by. */
  other?: { name: string; values: number[] };
  /** The highest ratio of the medians, or without `other` the highest median, that we accept. */
  goal: number;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[middle - (sorted.length % 2 === 0 ? 1 : 0)] ?? NaN, sorted[middle] ?? NaN];
  return (low + high) / 2;
}

/** Seconds that `work` takes. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e9;
}

export async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  return (await seconds(work)) * 1_000;
}

/** Whether the goal was reached, and a line that says so: medians, each with its lowest and highest value. */
export function describeFigure({ name, unit, values, other, goal }: Figure): string {
  const figure = other === undefined ? median(values) : median(values) / median(other.values);
  const compared =
    other === undefined ? '' : `, ${other.name} ${amount(other.values, unit)}, ratio ${figure.toFixed(2)}`;
  const limit = other === undefined ? `${goal} ${unit}` : goal.toString();
  const verdict = figure > goal ? ' MISSED' : '';
  return `${name}: ${amount(values, unit)}${compared}, goal ${limit}, ${values.length} rounds${verdict}`;
}

function amount(values: readonly number[], unit: Figure['unit']): string {
  const digits = unit === 's' ? 2 : unit === 'ms' ? 1 : 0;
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)].map((value) =>
    value.toFixed(digits),
  );
  return `${middle} ${unit} (${least}-${most})`;
}
