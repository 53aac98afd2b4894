import { parentPort } from 'node:worker_threads';
import { run } from '#apps/cli/src/run.js';
import { fitMain, holdOut, preFit, summarize } from '#apps/mmm-lift/src/mmm/fit-mix.js';

/** What a thread is asked: words for `tallyport`, or a stage of the mix model with its arguments. */
export type Question = { words: string[] } | { stage: keyof typeof STAGES; parameters: unknown[] };

const STAGES = { preFit, fitMain, holdOut, summarize };

parentPort?.on('message', (question: Question) => {
  void answer(question).then(
    (value) => parentPort?.postMessage({ value }),
    (error: unknown) => parentPort?.postMessage({ error: String(error) }),
  );
});

async function answer(question: Question): Promise<unknown> {
  if ('words' in question) return run(question.words, {});
  return (STAGES[question.stage] as (...parameters: unknown[]) => unknown)(...question.parameters);
}
