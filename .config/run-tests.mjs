/**
 * Runs jest over all tests, in several processes one after the other: one process keeps the modules of every finished file
 * in memory until its end, and gets slower with them. With a path as argument it is one process. Options are jest's own.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const SHARDS = 5;
const OUTPUT = '--outputFile=';
const COUNTS = ['numPassedTests', 'numFailedTests', 'numPendingTests', 'numRuntimeErrorTestSuites'];

const options = process.argv.slice(2).filter((word) => !word.startsWith(OUTPUT));
const output = process.argv.find((word) => word.startsWith(OUTPUT))?.slice(OUTPUT.length);

if (options.some((word) => !word.startsWith('-'))) process.exit(jest(output));

const totals = Object.fromEntries(COUNTS.map((count) => [count, 0]));
let code = 0;
for (let shard = 1; shard <= SHARDS; shard++) {
  const file = output && `${output}.${shard}`;
  code = Math.max(code, jest(file, `--shard=${shard}/${SHARDS}`, '--passWithNoTests'));
  if (file) add(file);
}
if (output) writeFileSync(output, JSON.stringify(totals));
process.exit(code);

function jest(file, ...more) {
  const node = ['--max-old-space-size=8192', '--experimental-vm-modules', '--no-warnings=ExperimentalWarning'];
  const words = ['node_modules/jest/bin/jest.js', '--config', '.config/jest.config.js', ...options, ...more];
  if (file) words.push(OUTPUT + file);
  return spawnSync(process.execPath, [...node, ...words], { stdio: 'inherit' }).status ?? 1;
}

/** A process that died has told nothing: that is a failure. */
function add(file) {
  if (!existsSync(file)) {
    totals.numRuntimeErrorTestSuites++;
    return;
  }
  const results = JSON.parse(readFileSync(file, 'utf8'));
  for (const count of COUNTS) totals[count] += results[count];
  rmSync(file);
}
