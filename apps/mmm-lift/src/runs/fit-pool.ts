import { Worker } from 'node:worker_threads';
import { RunFailure } from '#contracts/modeling/run-state.js';
import type { FitTasks } from './fit-tasks.js';
import type { TaskAnswer, TaskMessage, ThreadData } from './thread-messages.js';
import { threadStart, type ThreadStart } from './thread-start.js';

/** A thread died in the middle of a task: crashed, or out of memory. */
export class ThreadDiedError extends Error {}

export interface FitPoolOptions {
  threads: number;
  start?: ThreadStart;
  /** What the objects of one thread may take; number arrays do not count. */
  heapMb?: number;
}

interface Task {
  message: TaskMessage;
  done(answer: unknown): void;
  failed(reason: unknown): void;
}

interface Thread {
  worker: Worker;
  task: Task | undefined;
}

const HEAP_MB = 512;

/**
 * Runs mathematics in threads, so that leases, heartbeats and health go on meanwhile. Threads start when they are first
 * needed and stay; one that dies or is stopped is replaced by the next task.
 */
export class FitPool {
  private readonly threads = new Set<Thread>();
  private readonly waiting: Task[] = [];
  private readonly start: ThreadStart;
  private closed: Error | undefined;

  constructor(private readonly options: FitPoolOptions) {
    this.start = options.start ?? threadStart();
  }

  /** Tasks that wait for a thread. */
  get tasksWaiting(): number {
    return this.waiting.length;
  }

  /**
   * Runs a task of the table in the next free thread. Arguments and result are copied.
   *
   * @param signal stops the thread at once when it fires
   * @throws RunFailure as the task threw it; ThreadDiedError; the reason of the signal; else an Error with the text of the
   *   task's error
   */
  run<Name extends keyof FitTasks>(
    name: Name,
    given: Parameters<FitTasks[Name]>,
    signal: AbortSignal,
  ): Promise<ReturnType<FitTasks[Name]>> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.closed !== undefined) throw this.closed;
      const stop = (): void => {
        this.drop(task, signal.reason);
      };
      const task: Task = {
        message: { task: name, arguments: given },
        done: (result) => {
          signal.removeEventListener('abort', stop);
          resolve(result as ReturnType<FitTasks[Name]>);
        },
        failed: (reason) => {
          signal.removeEventListener('abort', stop);
          reject(reason instanceof Error ? reason : new Error(String(reason)));
        },
      };
      signal.addEventListener('abort', stop, { once: true });
      this.waiting.push(task);
      this.next();
    });
  }

  /** Stops all threads; tasks that are not done fail. */
  async close(): Promise<void> {
    this.closed ??= new Error('The service stops.');
    for (const task of this.waiting.splice(0)) task.failed(this.closed);
    const threads = [...this.threads];
    this.threads.clear();
    for (const { task } of threads) task?.failed(this.closed);
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  private next(): void {
    while (this.waiting.length > 0) {
      const thread = this.freeThread();
      const task = thread === undefined ? undefined : this.waiting.shift();
      if (thread === undefined || task === undefined) return;
      thread.task = task;
      thread.worker.postMessage(task.message);
    }
  }

  private freeThread(): Thread | undefined {
    for (const thread of this.threads) if (thread.task === undefined) return thread;
    return this.threads.size < this.options.threads ? this.newThread() : undefined;
  }

  private newThread(): Thread {
    const { entry, tasks, execArgv } = this.start;
    const worker = new Worker(entry, {
      workerData: { tasks: tasks.href } satisfies ThreadData,
      ...(execArgv === undefined ? {} : { execArgv }),
      resourceLimits: { maxOldGenerationSizeMb: this.options.heapMb ?? HEAP_MB },
    });
    const thread: Thread = { worker, task: undefined };
    let reason: unknown;
    worker.on('message', (answer: TaskAnswer) => {
      this.answered(thread, answer);
    });
    worker.on('error', (error) => {
      reason = error;
    });
    worker.on('exit', (code) => {
      this.gone(thread, new ThreadDiedError(`A thread ended with code ${code}.`, { cause: reason }));
    });
    this.threads.add(thread);
    return thread;
  }

  private answered(thread: Thread, answer: TaskAnswer): void {
    const { task } = thread;
    thread.task = undefined;
    if (answer.kind === 'result') task?.done(answer.result);
    else task?.failed(errorOf(answer));
    this.next();
  }

  private gone(thread: Thread, reason: unknown): void {
    if (!this.threads.delete(thread)) return;
    thread.task?.failed(reason);
    this.next();
  }

  /** Nothing can interrupt a computation but the end of its thread. */
  private drop(task: Task, reason: unknown): void {
    const place = this.waiting.indexOf(task);
    if (place >= 0) this.waiting.splice(place, 1);
    for (const thread of this.threads) {
      if (thread.task !== task) continue;
      this.threads.delete(thread);
      void thread.worker.terminate();
    }
    task.failed(reason);
    this.next();
  }
}

function errorOf(answer: Exclude<TaskAnswer, { kind: 'result' }>): Error {
  if (answer.kind === 'failure') return new RunFailure(answer.code, answer.extensions);
  return Object.assign(new Error(answer.message), { stack: answer.stack });
}
