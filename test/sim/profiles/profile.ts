import type { Random } from '#apps/cli/src/demo-shop/random.js';
import type { Actor, World } from '../world.js';

export type Group = 'everyday_people' | 'awkward_people' | 'crude_bots' | 'blending_bots' | 'hidden_bots';

/** A kind of visitors: which networks they use, when they come and what they do. */
export interface Profile {
  name: string;
  group: Group;
  /** Appends its visits. `volume` is a factor on the number of networks or visitors. */
  act(world: World, random: Random, actor: Actor, volume: number): void;
}

export function isBotGroup(group: Group): boolean {
  return group.endsWith('bots');
}

/** `count` times the volume, the fraction by chance; so that a small volume still gives some in the mean. */
export function howMany(random: Random, count: number, volume: number): number {
  const wanted = count * volume;
  return Math.floor(wanted) + (random.chance(wanted - Math.floor(wanted)) ? 1 : 0);
}

export function between(random: Random, low: number, high: number): number {
  return low + random.unit() * (high - low);
}

/** Around `median`, never negative, with a long tail: exp(spread × normal). */
export function around(random: Random, median: number, spread: number): number {
  return median * Math.exp(spread * random.normal());
}
