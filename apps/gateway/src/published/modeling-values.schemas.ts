import type { About } from '#contracts/modeling/about.js';
import { RUN_ERRORS, TRUST_TIERS } from '#contracts/modeling/run-state.js';
import { objectOf, TIMESTAMP, type Schema } from './object-schema.js';

export const TEXT: Schema = { type: 'string' };
export const TEXT_OR_NULL: Schema = { type: ['string', 'null'] };
export const LIST_OF_TEXT = { type: 'array', items: TEXT } as const satisfies Schema;
export const NUMBER: Schema = { type: 'number' };
export const DAY: Schema = { type: 'string', format: 'date' };
export const DAY_OR_NULL: Schema = { type: ['string', 'null'], format: 'date' };
export const TIME_OR_NULL: Schema = { ...TIMESTAMP, type: ['string', 'null'] };
export const SEED: Schema = {
  type: 'integer',
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'Of the random numbers: the same input and seed give the same numbers.',
};

export const TARGET: Schema = {
  type: 'string',
  description: '`conversions`, `revenue` (the sum of `value`), or `goal:<event_name>` (events of that name).',
  examples: ['conversions', 'goal:signup'],
};

/** Behind members that the cost data restriction takes away. */
export const HOLDS_COST = 'Absent under the cost data restriction.';

export const TIER_OR_NULL: Schema = {
  type: ['string', 'null'],
  enum: [...TRUST_TIERS, null],
  description:
    'How far the numbers can be trusted. Of models: `high` needs two years, mostly identified spend and a good forecast of weeks that it has not seen, or a year and lift tests on half of the spend; `medium` a year; `low` half a year; else `insufficient`. Of lift tests: `high` needs 8 places as controls that fit well; `medium` one; `low` none.',
};

export function numberOrNull(description: string): Schema {
  return { type: ['number', 'null'], description };
}

export const MODELING_VALUE_SCHEMAS: Record<string, Schema> = {
  About: objectOf<About>(
    { interval: TEXT, identified: TEXT, trust_tier: TEXT, not_known: TEXT },
    { optional: ['identified'], description: 'What the numbers are, in words.' },
  ),
  RunError: {
    type: 'object',
    description: `Why a run or a test has no numbers. Some codes have more members, such as \`have\` and \`need\`.\n\n${Object.entries(
      RUN_ERRORS,
    )
      .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
      .join('\n\n')}`,
    required: ['code', 'detail'],
    additionalProperties: true,
    properties: { code: { type: 'string', enum: Object.keys(RUN_ERRORS) }, detail: TEXT },
  },
};
