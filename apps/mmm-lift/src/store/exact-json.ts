/**
 * JSON in which every number keeps its value to the last bit (a negative zero becomes zero).
 *
 * @throws RangeError for a number that is not finite: it would become null
 */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (key, member: unknown) => {
    if (typeof member === 'number' && !Number.isFinite(member)) throw new RangeError(`${key} is ${member}`);
    return member;
  });
}
