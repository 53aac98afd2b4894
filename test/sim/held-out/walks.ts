import type { Random } from '#apps/cli/src/demo-shop/random.js';
import type { Channel, Site } from '../site.js';
import type { Step } from '../visit.js';

type Place = 'landing' | 'list' | 'item' | 'basket' | 'paid' | 'gone';

/** Chances of where somebody goes next, and the seconds of a look: median and spread of a log-normal. */
interface Walk {
  next: Readonly<Partial<Record<Place, readonly (readonly [Place, number])[]>>>;
  look: readonly [median: number, spread: number];
  /** Part of looks in which something else is collected: a scroll, a play. */
  act: number;
}

export const WALKS = {
  shopper: {
    next: {
      landing: [['gone', 44], ['list', 28], ['item', 28]],
      list: [['item', 58], ['list', 17], ['gone', 25]],
      item: [['item', 34], ['list', 24], ['basket', 9], ['gone', 33]],
      basket: [['paid', 38], ['item', 30], ['gone', 32]],
    },
    look: [22, 1],
    act: 0.2,
  },
  swiper: {
    next: { landing: [['gone', 84], ['item', 16]], item: [['gone', 75], ['item', 22], ['basket', 3]], basket: [['gone', 90], ['paid', 10]] },
    look: [6, 0.8],
    act: 0.08,
  },
  clerk: {
    next: { landing: [['gone', 50], ['item', 35], ['list', 15]], item: [['gone', 70], ['item', 30]], list: [['gone', 50], ['item', 50]] },
    look: [35, 0.7],
    act: 0.1,
  },
  buyer: {
    next: {
      landing: [['gone', 25], ['item', 55], ['list', 20]],
      list: [['item', 75], ['gone', 25]],
      item: [['basket', 20], ['item', 45], ['gone', 35]],
      basket: [['paid', 60], ['item', 20], ['gone', 20]],
    },
    look: [26, 0.9],
    act: 0.25,
  },
  away: { next: { landing: [['gone', 100]] }, look: [3, 0.5], act: 0 },
  twice: { next: { landing: [['gone', 55], ['landing', 45]] }, look: [2, 0.6], act: 0 },
  mostlyAway: { next: { landing: [['gone', 82], ['item', 18]], item: [['gone', 70], ['item', 30]] }, look: [7, 0.6], act: 0.02 },
  sometimesAway: { next: { landing: [['gone', 66], ['item', 34]], item: [['gone', 60], ['item', 40]] }, look: [9, 0.7], act: 0.04 },
  stroller: { next: { landing: [['gone', 30], ['item', 70]], item: [['gone', 45], ['item', 55]] }, look: [8, 0.35], act: 0 },
  harvester: { next: { landing: [['list', 100]], list: [['item', 80], ['list', 15], ['gone', 5]], item: [['item', 75], ['list', 15], ['gone', 10]] }, look: [1.4, 0.3], act: 0 },
  leads: { next: { landing: [['gone', 88], ['basket', 12]], basket: [['paid', 25], ['gone', 75]] }, look: [5, 0.5], act: 0 },
} satisfies Record<string, Walk>; // prettier-ignore

const LONGEST_LOOK_S = 1_700;
const MOST_STEPS = 60;

/** One visit along a walk, as a chain of Markov. */
export function walk(random: Random, site: Site, channel: Channel, { next, look, act }: Walk): Step[] {
  const steps: Step[] = [];
  let place: Place = 'landing';
  let path = random.pick(channel.landings);
  let atMs = 0;
  while (place !== 'gone' && steps.length < MOST_STEPS) {
    if (place === 'paid' && site.tracksConversions)
      steps.push({ atMs, type: 'conversion', path, name: 'order', value: Math.round(random.exponential(55)) + 8 });
    steps.push({ atMs, type: 'page_view', path });
    const [median, spread] = look;
    const lookMs = Math.round(1_000 * Math.min(LONGEST_LOOK_S, median * Math.exp(spread * random.normal())));
    if (random.chance(act)) steps.push({ atMs: atMs + Math.floor(lookMs / 2), type: 'custom', path, name: 'scroll' });
    atMs += lookMs;
    const ways: readonly (readonly [Place, number])[] = next[place] ?? [['gone', 1]];
    [place] = random.weighted(ways, ([, weight]) => weight);
    if (place === 'list') path = random.pick(site.categories);
    if (place === 'item') path = random.pick(site.products);
    if (place === 'basket') path = '/basket';
    if (place === 'paid') path = '/done';
  }
  return steps;
}
