import type { MixInput, MixInputChannel } from './mix-input.js';

const COST_OUTLIER = 20;
const UNSTABLE = 0.5;
const CONFLICT = 3;

/** What the engine found, beside the input. */
export interface WarningFacts {
  readonly negativeWeeks: boolean;
  readonly ignoredControls: readonly string[];
  /** Part of the draws with the fastest level. */
  readonly fastestLevel: number;
  /** Tests with the name of their channel. */
  readonly tests: readonly { channel: string; z: number }[];
}

/** The warnings of the preparation and then those of the engine, each once. */
export function mixWarnings(input: MixInput, facts: WarningFacts): string[] {
  return [
    ...new Set([
      ...input.warnings,
      ...(input.y.includes(null) ? ['missing_weeks'] : []),
      ...(facts.negativeWeeks ? ['negative_weeks'] : []),
      ...(facts.ignoredControls.length > 0 ? ['constant_control'] : []),
      ...(input.channels.some(hasCostOutlier) ? ['cost_outlier'] : []),
      ...(facts.fastestLevel > UNSTABLE ? ['unstable_baseline'] : []),
      ...facts.tests.filter(({ z }) => z > CONFLICT).map(({ channel }) => `test_conflict:${channel}`),
    ]),
  ];
}

/** A week of more than 20 times the median active week. */
function hasCostOutlier({ spend }: MixInputChannel): boolean {
  const active = spend.filter((value) => value > 0).sort((a, b) => a - b);
  const half = active.length / 2;
  const median = ((active[Math.ceil(half) - 1] ?? 0) + (active[Math.floor(half)] ?? 0)) / 2;
  return (active.at(-1) ?? 0) > COST_OUTLIER * median;
}
