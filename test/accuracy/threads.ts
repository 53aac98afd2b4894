import { Worker } from 'node:worker_threads';
import type { Outcome } from '#apps/cli/src/run.js';
import type { Question } from './tallyport-thread.js';

interface Waiting {
  question: Question;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** Two threads that run `tallyport` and stages of the mix model, in the order of asking. */
export class Threads {
  private readonly waiting: Waiting[] = [];
  private readonly threads: Worker[];
  private readonly idle: Worker[];

  constructor(count = 2) {
    this.threads = Array.from({ length: count }, () => new Worker(new URL('./tallyport-thread.js', import.meta.url)));
    this.idle = [...this.threads];
    for (const thread of this.threads) thread.unref();
  }

  /** The JSON that a command prints. @throws Error with what it says on stderr */
  async tallyport<T>(...words: string[]): Promise<T> {
    return JSON.parse(await this.text(...words, '--json')) as T;
  }

  /** What a command prints. @throws Error with what it says on stderr */
  async text(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = (await this.ask({ words })) as Outcome;
    if (code !== 0) throw new Error(stderr.trim());
    return stdout;
  }

  ask(question: Question): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ question, resolve, reject });
      this.next();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.terminate()));
  }

  private next(): void {
    const thread = this.waiting.length > 0 ? this.idle.shift() : undefined;
    const job = thread && this.waiting.shift();
    if (thread === undefined || job === undefined) return;
    const end = (settle: () => void): void => {
      thread.off('message', onMessage).off('error', onError);
      thread.unref();
      settle();
    };
    const onMessage = (reply: { value?: unknown; error?: string }): void => {
      end(() => {
        if (reply.error === undefined) job.resolve(reply.value);
        else job.reject(new Error(reply.error));
      });
      this.idle.push(thread);
      this.next();
    };
    const onError = (error: unknown): void => {
      end(() => {
        job.reject(error instanceof Error ? error : new Error(String(error)));
      });
    };
    thread.ref();
    thread.on('message', onMessage).on('error', onError);
    thread.postMessage(job.question);
  }
}
