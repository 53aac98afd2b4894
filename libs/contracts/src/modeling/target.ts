import { isLongerThan, isWholeText } from '../text.js';

/** What a model or a lift test explains: conversions, the sum of `value`, or the events of one name. */
export type Target = 'conversions' | 'revenue' | `goal:${string}`;

const GOAL = 'goal:';
/** Of an event name. */
const MAX_NAME = 256;

/** Whether the text is a target: `conversions`, `revenue` or `goal:<event_name>`. */
export function isTarget(text: unknown): text is Target {
  if (text === 'conversions' || text === 'revenue') return true;
  if (typeof text !== 'string' || !text.startsWith(GOAL)) return false;
  const name = text.slice(GOAL.length);
  return name.trim() !== '' && !isLongerThan(name, MAX_NAME) && isWholeText(name);
}

/** Whether its values are counts, and no money. */
export function isCount(target: string): boolean {
  return target !== 'revenue';
}
