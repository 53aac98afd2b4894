import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Row } from './row.js';
import { Threads } from './threads.js';

/** Public data sets beside the project, which are no part of it. */
const DATA = resolve('../shared/data/mmm-lift');

/** Measures some rows of the table. */
export type Check = (bench: Bench) => Promise<Row[]>;

/** What checks work with: threads for the fits, a folder for files, and the data that were handed over. */
export class Bench {
  readonly threads = new Threads();
  readonly folder = mkdtempSync(join(tmpdir(), 'tallyport-accuracy-'));

  constructor(
    /** Seeds of our own simulator for each kind, and the first of them. */
    readonly seeds: number,
    readonly firstSeed: number,
    /** Lifts to plant into public data. */
    readonly tests: number,
  ) {}

  /** The path of a public file. @throws MissingData */
  data(file: string): string {
    const path = join(DATA, file);
    if (!existsSync(path)) throw new MissingData(file);
    return path;
  }

  /** Seeds of our own simulator; each kind has its own, so that an unlucky one counts once. */
  seedsOf(kind = 0, count = this.seeds): number[] {
    return Array.from({ length: count }, (_, index) => this.firstSeed + 1000 * kind + index);
  }

  async close(): Promise<void> {
    await this.threads.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A public file that is not there: what needs it is left out. */
export class MissingData extends Error {
  constructor(file: string) {
    super(`there is no ../shared/data/mmm-lift/${file}`);
  }
}
