import type { Scenario } from './scenario.js';

/** Traffic that is evaluated together: mixes of profiles that were looked at while detection was tuned, and of others. */
export const SUITES = {
  easy: { mix: 'easy' },
  hard: { mix: 'hard' },
  people: { mix: 'people' },
  held_out_easy: { mix: 'easy', heldOut: true },
  held_out_hard: { mix: 'hard', heldOut: true },
  held_out_people: { mix: 'people', heldOut: true },
  few_visits: { mix: 'hard', people: 0.15, bots: 0.5 },
  one_percent_bots: { mix: 'hard', bots: 0.02 },
  five_percent_bots: { mix: 'hard', bots: 0.11 },
  twenty_percent_bots: { mix: 'hard', bots: 0.5 },
} satisfies Record<string, Omit<Scenario, 'seed'>>;
export type Suite = keyof typeof SUITES;
