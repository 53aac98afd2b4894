import { Random } from '#apps/cli/src/demo-shop/random.js';

export interface Ratio {
  hits: number;
  of: number;
}

export interface Figure {
  /** Hits of all seeds over their number; null when nothing was to be counted. */
  value: number | null;
  /** 95 % bootstrap interval over seeds. */
  low: number;
  high: number;
  hits: number;
  of: number;
}

const ROUNDS = 2_000;

/** Of one figure, counted in every seed. Seeds are drawn again with replacement, because entities of one seed are alike. */
function figureOf(seeds: readonly Ratio[]): Figure {
  const [hits, of] = sum(seeds);
  if (of === 0) return { value: null, low: 0, high: 1, hits, of };
  const random = new Random(seeds.length);
  const values: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [some, all] = sum(seeds.map(() => random.pick(seeds)));
    if (all > 0) values.push(some / all);
  }
  values.sort((a, b) => a - b);
  const quantile = (part: number): number => values[Math.min(values.length - 1, Math.floor(part * values.length))] ?? 0;
  return { value: hits / of, low: quantile(0.025), high: quantile(0.975), hits, of };
}

/** All figures that any of the runs counted. */
export function figuresOf(runs: readonly ReadonlyMap<string, Ratio>[]): Map<string, Figure> {
  const names = [...new Set(runs.flatMap((run) => [...run.keys()]))].sort();
  return new Map(names.map((name) => [name, figureOf(runs.map((run) => run.get(name) ?? { hits: 0, of: 0 }))]));
}

function sum(ratios: readonly Ratio[]): [hits: number, of: number] {
  let [hits, of] = [0, 0];
  for (const ratio of ratios) {
    hits += ratio.hits;
    of += ratio.of;
  }
  return [hits, of];
}
