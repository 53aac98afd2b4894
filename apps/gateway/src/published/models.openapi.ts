import type { EndpointText } from './endpoint.js';

export const MODELS_TAG = {
  name: 'Models',
  description: `Marketing mix models and lift tests.

**What the numbers are.** Points are posterior means, \`_lo\` and \`_hi\` the ends of 90 % credible intervals: conditional on the model and the data, and near 90 % right in simulations.

**\`identified\`** says whether the data tell the effect of a channel from chance, the season and other channels; \`reasons\` says what fails. Of other channels only the interval means something.

**\`trust_tier\`** sums up how far a run or a test can be trusted, from \`insufficient\` to \`high\`.

**What no model knows without a test.** Weekly data cannot tell ads from hidden demand that drives both spend and sales; only a lift test does. Effects are means over the window, and seasons are fixed weeks of the year. Revenue as platforms report it is never used.`,
};

/** Texts of refusals. */
export const READS: EndpointText['problemTexts'] = {
  forbidden: { detail: 'This needs the permission models:read for the asset.' },
};
export const WRITES: EndpointText['problemTexts'] = {
  forbidden: { detail: 'This needs the permission models:write for the asset.' },
};
export const ONE: EndpointText['problemTexts'] = { ...READS, not_found: { detail: 'There is no such object.' } };

/** Of paths with an Idempotency-Key. */
export const REPEATED = 'A repetition with the same `Idempotency-Key` and body gives the same answer.';
