/** A thread of the pool: one task after the other. It knows no database, no bus and no settings. */
import { parentPort, workerData } from 'node:worker_threads';
import { RunFailure } from '#contracts/modeling/run-state.js';
import type { TaskAnswer, TaskMessage, ThreadData } from './thread-messages.js';

if (parentPort === null) throw new Error('This file is the entry of a worker thread.');
const port = parentPort;
const { tasks } = workerData as ThreadData;
const { FIT_TASKS } = (await import(tasks)) as { FIT_TASKS: Record<string, (...given: unknown[]) => unknown> };

port.on('message', (message: TaskMessage) => {
  port.postMessage(answerTo(message));
});

function answerTo({ task, arguments: given }: TaskMessage): TaskAnswer {
  try {
    const work = FIT_TASKS[task];
    if (work === undefined) throw new Error(`There is no task ${task}.`);
    return { kind: 'result', result: work(...given) };
  } catch (error) {
    if (error instanceof RunFailure) return { kind: 'failure', code: error.code, extensions: error.extensions };
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { kind: 'error', message, stack };
  }
}
