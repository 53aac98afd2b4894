import { evaluateLift } from '../lift/evaluate-lift.js';
import { fitMain, holdOut, preFit, summarize } from '../mmm/fit-mix.js';

/** What threads can be asked for, by name. Pure functions; arguments and results can be cloned. */
export const FIT_TASKS = { preFit, fitMain, holdOut, summarize, evaluateLift };

export type FitTasks = typeof FIT_TASKS;
