import type { MixNumbers } from '#contracts/modeling/mix-run.js';
import { holdOut } from './hold-out.js';
import { fitMain } from './main-fit.js';
import type { MixInput } from './mix-input.js';
import { preFit } from './pre-fit.js';
import { summarize } from './summarize.js';

export { fitMain, holdOut, preFit, summarize };

/**
 * Fits a marketing mix model in this thread. The same input gives the same numbers; the parts may as well run in several threads
 * (`preFit` first, then `fitMain` and `holdOut` at once, then `summarize`).
 *
 * @throws RunFailure no_cost; not_enough_weeks {have, need}; target_constant; target_negative
 */
export function fitMix(input: MixInput): MixNumbers {
  const pre = preFit(input);
  return summarize(input, pre, fitMain(input, pre), holdOut(input, pre));
}
