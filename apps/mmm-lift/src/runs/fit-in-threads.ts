import type { MixNumbers } from '#contracts/modeling/mix-run.js';
import type { MixInput } from '../mmm/mix-input.js';
import type { FitPool } from './fit-pool.js';

/** The same as `fitMix`, the fit and its hold-out side by side. The number of threads changes no number. */
export async function fitInThreads(pool: FitPool, input: MixInput, signal: AbortSignal): Promise<MixNumbers> {
  const pre = await pool.run('preFit', [input], signal);
  const either = new AbortController();
  const both = AbortSignal.any([signal, either.signal]);
  const main = pool.run('fitMain', [input, pre], both);
  const holdout = pool.run('holdOut', [input, pre], both);
  try {
    return await pool.run('summarize', [input, pre, await main, await holdout], signal);
  } finally {
    // When one of them fails, nobody waits for the other.
    either.abort();
    await Promise.allSettled([main, holdout]);
  }
}
