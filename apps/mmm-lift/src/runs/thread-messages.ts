import type { RunErrorCode } from '#contracts/modeling/run-state.js';

/** What a thread is started with. */
export interface ThreadData {
  /** URL of the module whose `FIT_TASKS` it runs. */
  tasks: string;
}

export interface TaskMessage {
  task: string;
  arguments: unknown[];
}

/** An error of a task arrives as its text: what it was made of stays in the thread. */
export type TaskAnswer =
  | { kind: 'result'; result: unknown }
  | { kind: 'failure'; code: RunErrorCode; extensions: Record<string, unknown> }
  | { kind: 'error'; message: string; stack: string | undefined };
