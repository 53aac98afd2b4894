import type { Random } from '#apps/cli/src/demo-shop/random.js';
import type { Network } from '../address-book.js';
import type { Device } from '../devices.js';
import type { Channel, ChannelSlug } from '../site.js';
import { humanSteps, type Step } from '../visit.js';
import type { Actor, Visitor, World } from '../world.js';

/** One page and away. */
export function leave(random: Random, channel: Channel): Step[] {
  return [{ atMs: 0, type: 'page_view', path: random.pick(channel.landings) }];
}

/** The same pages at the same pace, whoever looks. */
export function script(paths: readonly string[], paceMs: number, jitter: number) {
  return (random: Random): Step[] => {
    let atMs = 0;
    return paths.map((path, index) => {
      if (index > 0) atMs += Math.max(200, Math.round(paceMs * (1 + jitter * random.normal())));
      return { atMs, type: 'page_view', path };
    });
  };
}

/** Many pages, a moment on each. */
export function crawl(random: Random, world: World, pages: number): Step[] {
  return Array.from({ length: pages }, (_, index) => ({
    atMs: Math.round(index * (1_200 + 1_500 * random.unit())),
    type: 'page_view',
    path: index === 0 ? '/' : world.site.anyPage(random),
  }));
}

/** Leaves at once, but a part of the visits looks as if somebody was interested. */
export function pretend(world: World, part: number) {
  return (random: Random, channel: Channel): Step[] =>
    random.chance(part)
      ? humanSteps(random, world.site, channel, { bounce: 0.2, conversion: 0, dwell: 0.7 })
      : leave(random, channel);
}

export interface Clicks {
  network: Network;
  host: number | (() => number);
  times: readonly number[];
  channel: ChannelSlug | ((random: Random) => Channel);
  device: Device | ((random: Random) => Device);
  /** A new visitor id after so many visits; 0 never. */
  visitsPerId: number;
  steps(random: Random, channel: Channel): readonly Step[];
  country?: string;
}

/** Visits of one machine or of several that look alike. */
export function click(world: World, random: Random, actor: Actor, clicks: Clicks): void {
  const { network, host, channel, device } = clicks;
  let visitor: Visitor | undefined;
  let left = 0;
  for (const startMs of [...clicks.times].sort((a, b) => a - b)) {
    if (visitor === undefined || (clicks.visitsPerId > 0 && left === 0)) {
      visitor = world.visitor(actor, random, typeof device === 'function' ? device(random) : device);
      left = clicks.visitsPerId;
    }
    left--;
    const through = typeof channel === 'function' ? channel(random) : world.channel(channel);
    world.visit(random, {
      visitor,
      network,
      host: typeof host === 'function' ? host() : host,
      channel: through,
      startMs,
      steps: clicks.steps(random, through),
      ...(clicks.country === undefined ? {} : { country: clicks.country }),
    });
  }
}

/** Times from begin to end, each `periodMs` after the other with a relative deviation of `jitter`. */
export function every(random: Random, beginMs: number, endMs: number, periodMs: number, jitter: number): number[] {
  const times: number[] = [];
  for (let at = beginMs; at < endMs; at += Math.max(1_000, periodMs * (1 + jitter * random.normal())))
    times.push(Math.floor(at));
  return times;
}
