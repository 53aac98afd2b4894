import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What has to be stopped and removed after a benchmark, also after Ctrl-C: servers run in process groups of their own. */
export class Ending {
  private readonly steps: (() => Promise<unknown>)[] = [];
  private running: Promise<void> | undefined;

  add(step: () => Promise<unknown>): void {
    this.steps.push(step);
  }

  /** The last step added comes first, one after the other; a call in the midst of another waits for it. */
  run(): Promise<void> {
    this.running ??= this.runSteps().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async runSteps(): Promise<void> {
    for (let step = this.steps.pop(); step !== undefined; step = this.steps.pop()) await step();
  }
}

/** A folder that is gone after the benchmark. */
export async function temporaryFolder(ending: Ending): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tallyport-bench-'));
  ending.add(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
