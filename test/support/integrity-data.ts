import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Public data sets beside the project, which are no part of it. */
const FOLDER = resolve('../shared/data/integrity');

/** The content of a public data set, or undefined, having said that what needs it is skipped. */
export function integrityData(file: string): string | undefined {
  const path = join(FOLDER, file);
  if (existsSync(path)) return readFileSync(path, 'utf8');
  process.stderr.write(`skipped: there is no ../shared/data/integrity/${file}\n`);
  return undefined;
}
