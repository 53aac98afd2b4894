import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Public data sets beside the project, which are no part of it. */
const FOLDER = resolve('../shared/data/mmm-lift');

/** The path of a public data set, or undefined, having said that what needs it is skipped. */
export function modelingData(file: string): string | undefined {
  const path = join(FOLDER, file);
  if (existsSync(path)) return path;
  process.stderr.write(`skipped: there is no ../shared/data/mmm-lift/${file}\n`);
  return undefined;
}
