import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { assess } from '#apps/integrity/src/detection/assess.js';
import { DETECTORS } from '#apps/integrity/src/detection/traffic.js';
import { measureSuite, newResults } from './measure.js';
import { figureTable, goalTable, mistakeLines } from './report.js';
import { trafficOf } from './runs.js';
import type { Mix } from './scenario.js';
import { SUITES, type Suite } from './suites.js';
import { writeFiles } from './write-files.js';

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    seed: { type: 'string', default: '1' },
    mix: { type: 'string', default: 'hard' },
    'held-out': { type: 'boolean', default: false },
    days: { type: 'string', default: '10' },
    seeds: { type: 'string', default: '20' },
    'first-seed': { type: 'string', default: '1' },
    suite: { type: 'string', multiple: true },
    results: { type: 'string' },
    ablation: { type: 'boolean', default: false },
    mistakes: { type: 'boolean', default: false },
  },
});

const say = (lines: readonly string[]): boolean => process.stdout.write(`${lines.join('\n')}\n`);

if (values.out === undefined) measure();
else await writeTraffic(values.out);

/** `--out directory --seed 1`: events and truth of one traffic as files. */
async function writeTraffic(directory: string): Promise<void> {
  const scenario = { seed: Number(values.seed), mix: values.mix as Mix, heldOut: values['held-out'] };
  const { traffic, sessions } = trafficOf({ ...scenario, days: Number(values.days) });
  await writeFiles(directory, traffic, sessions);
  say([`${traffic.events.length} events, ${sessions.length} sessions, time zone ${traffic.timezone}: ${directory}`]);
}

/** Without `--out`: the figures of all suites, or of those named, against their goals. */
function measure(): void {
  const seeds = Number(values.seeds);
  const firstSeed = Number(values['first-seed']);
  const results = newResults(seeds, firstSeed);
  for (const suite of (values.suite ?? Object.keys(SUITES)) as Suite[]) {
    const { figures, mistakes } = measureSuite(suite, seeds, assess, firstSeed);
    results.figures[suite] = Object.fromEntries(figures);
    say([`\n${suite}, ${seeds} seeds`, ...figureTable(figures), ...(values.mistakes ? mistakeLines(mistakes) : [])]);
  }
  if (values.ablation) {
    results.ablation = {};
    for (const detector of DETECTORS) {
      const without = new Set([detector]);
      const { figures } = measureSuite('hard', seeds, (request) => assess(request, { without }), firstSeed);
      results.ablation[detector] = Object.fromEntries([...figures].filter(([name]) => !name.includes('/')));
      say([`\nhard without ${detector}, ${seeds} seeds`, ...figureTable(figures, /^(network|session)_/)]);
    }
  }
  say(['', ...goalTable(results)]);
  if (values.results !== undefined) writeFileSync(values.results, `${JSON.stringify(results, null, 1)}\n`);
}
