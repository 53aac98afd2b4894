import { RunFailure } from '#contracts/modeling/run-state.js';
import { CommandFailure } from '../session.js';

/** Runs a model; a foreseen end without numbers becomes its sentence, with what is known of the cause. */
export async function explainFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RunFailure)) throw error;
    const facts = Object.entries(error.extensions).map(([name, value]) => `${name} ${textOf(value)}`);
    const sentence = error.message.replace(/\.$/, '');
    throw new CommandFailure(facts.length === 0 ? error.message : `${sentence} (${facts.join(', ')}).`);
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
