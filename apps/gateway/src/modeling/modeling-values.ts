import { isTarget, type Target } from '#contracts/modeling/target.js';
import { isWholeText } from '#contracts/text.js';
import { MemberFault } from '../uploads/body-members.js';
import { wholeNumber } from '../uploads/member-values.js';

/** Of the random numbers: the same gives the same result. */
export const seed = wholeNumber(1, 2_147_483_647);

/** What a model or a test explains. */
export function target(value: unknown): Target {
  if (!isTarget(value) || !isWholeText(value))
    throw new MemberFault('must be `conversions`, `revenue` or `goal:<event_name>`');
  return value;
}
