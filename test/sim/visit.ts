import type { Random } from '#apps/cli/src/demo-shop/random.js';
import type { Channel, Site } from './site.js';

/** Something that happens in a visit, so many milliseconds after its begin. */
export interface Step {
  atMs: number;
  type: 'page_view' | 'click' | 'custom' | 'conversion';
  path: string;
  name?: string;
  value?: number;
}

/** How people deviate from what is usual on the site: factors, 1 is usual. */
export interface Temper {
  bounce?: number;
  conversion?: number;
  depth?: number;
  dwell?: number;
}

/** What somebody does who came to look around. */
export function humanSteps(random: Random, site: Site, channel: Channel, temper: Temper = {}): Step[] {
  const landing = random.pick(channel.landings);
  const steps: Step[] = [{ atMs: 0, type: 'page_view', path: landing }];
  const dwell = (): number =>
    Math.min(1_500_000, 1_000 * site.dwellS * (temper.dwell ?? 1) * Math.exp(0.9 * random.normal()));
  let atMs = dwell();
  const happens = (type: Step['type'], path: string, name?: string): void => {
    steps.push({ atMs: Math.round(atMs), type, path, ...(name === undefined ? {} : { name }) });
  };
  if (random.chance(Math.min(0.97, channel.bounce * (temper.bounce ?? 1)))) {
    if (random.chance(site.interaction * 0.5)) happens('custom', landing, 'scroll_depth');
    return steps;
  }
  let path = landing;
  const pages = 1 + Math.min(25, Math.floor(random.exponential(site.depth * (temper.depth ?? 1))));
  for (let page = 0; page < pages; page++) {
    if (random.chance(site.interaction)) {
      happens('click', path, random.pick(['teaser', 'menu', 'filter']));
      atMs += dwell() / 3;
    }
    path = site.anyPage(random);
    happens('page_view', path);
    atMs += dwell();
  }
  // Only those who stay buy: of the others this makes up for those who bounce.
  const chance = (site.conversionRate * (temper.conversion ?? 1)) / Math.max(0.2, 1 - channel.bounce);
  if (!random.chance(chance)) return steps;
  for (const next of ['/cart', '/checkout']) {
    happens('page_view', next);
    atMs += dwell();
  }
  if (site.tracksConversions) {
    happens('conversion', '/checkout', 'purchase');
    const last = steps.at(-1);
    if (last !== undefined) last.value = Math.round(10 + random.exponential(60));
    atMs += 1_500;
  }
  happens('page_view', '/thank-you');
  return steps;
}
