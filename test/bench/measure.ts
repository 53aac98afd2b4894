export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
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

export interface Comparison {
  name: string;
  ours: number[];
  theirs: number[];
  goal: number;
}

/** Medians of both sides and the ratio of the medians; the goal is the highest ratio we accept. */
export function printComparison({ name, ours, theirs, goal }: Comparison): void {
  const ratio = median(ours) / median(theirs);
  process.stdout.write(
    `${name}: ${median(ours).toFixed(3)} s against ${median(theirs).toFixed(3)} s, ratio ${ratio.toFixed(2)} (goal ${goal}), ` +
      `ours ${spread(ours)}, theirs ${spread(theirs)}, ${ours.length} rounds\n`,
  );
}

function spread(figures: readonly number[]): string {
  return `${Math.min(...figures).toFixed(3)}-${Math.max(...figures).toFixed(3)}`;
}
