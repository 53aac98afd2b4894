import type { Figure } from './figures.js';
import { GOALS, isReached } from './goals.js';
import type { Measured, Results } from './measure.js';

/** A line for each figure whose name fits. */
export function figureTable(figures: ReadonlyMap<string, Figure>, names = /./): string[] {
  return [...figures]
    .filter(([name]) => names.test(name))
    .map(([name, figure]) => `  ${name.padEnd(46)} ${describe(figure)}`);
}

/** A line for each goal of which something was measured. */
export function goalTable({ figures }: Results): string[] {
  return GOALS.flatMap((goal) => {
    const figure = figures[goal.suite]?.[goal.figure];
    if (figure === undefined) return [];
    const limit = `${goal.wanted === 'at least' ? '≥' : '≤'} ${goal.limit}`;
    const verdict = isReached(goal, figure) ? '' : ' MISSED';
    return [`${goal.suite.padEnd(16)} ${goal.name.padEnd(36)} ${describe(figure).padEnd(40)} goal ${limit}${verdict}`];
  });
}

export function mistakeLines(mistakes: Measured['mistakes']): string[] {
  return mistakes.map(({ seed, mistake }) => {
    const { kind, profile, entity, networkType, sessions, bots, severity, p, reasons } = mistake;
    const crowd = `${sessions} sessions, ${Math.round(bots * 100)} % bots`;
    return `  seed ${seed} ${kind} ${profile} ${entity} ${networkType} ${crowd}, ${severity} ${p.toFixed(2)}: ${reasons}`;
  });
}

function describe({ value, low, high, hits, of }: Figure): string {
  if (value === null) return 'nothing to count';
  return `${value.toFixed(4)} (${low.toFixed(4)} to ${high.toFixed(4)}) ${Math.round(hits)} of ${Math.round(of)}`;
}
