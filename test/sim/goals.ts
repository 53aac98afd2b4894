import type { Figure } from './figures.js';
import type { Suite } from './suites.js';

/** A row of the table: what was measured and what is wanted. */
export interface Goal {
  suite: Suite;
  figure: string;
  name: string;
  wanted: 'at least' | 'at most';
  limit: number;
}

const quality = (suite: Suite, precision: number, figure: string, name: string, recall: number): Goal[] => [
  { suite, figure: 'network_precision', name: 'network precision', wanted: 'at least', limit: precision },
  { suite, figure, name, wanted: 'at least', limit: recall },
  { suite, figure: 'confirmed_precision', name: 'precision of confirmed', wanted: 'at least', limit: 0.995 },
];

export const GOALS: readonly Goal[] = [
  ...(['easy', 'held_out_easy'] as const).flatMap((suite) =>
    quality(suite, 0.99, 'network_recall', 'network recall', 0.95),
  ),
  ...(['hard', 'held_out_hard'] as const).flatMap((suite) =>
    quality(suite, 0.97, 'session_recall_attributable', 'session recall of attributable bots', 0.85),
  ),
  ...(['people', 'held_out_people'] as const).flatMap((suite): Goal[] => [
    {
      suite,
      figure: 'false_flags_of_networks',
      name: 'networks of people flagged',
      wanted: 'at most',
      limit: 0.001,
    },
    {
      suite,
      figure: 'confirmed_of_networks_of_people',
      name: 'networks of people confirmed',
      wanted: 'at most',
      limit: 0,
    },
  ]),
];

/** A figure of which nothing was counted misses its goal. */
export function isReached({ wanted, limit }: Goal, { value }: Figure): boolean {
  if (value === null) return false;
  return wanted === 'at least' ? value >= limit : value <= limit;
}
