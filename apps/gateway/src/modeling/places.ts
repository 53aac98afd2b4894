/**
 * Whether two names of one level mean the same place: a bare name is only accepted where it is the only one, so it is
 * that of `country/region/city` too.
 */
export function isSamePlace(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}
