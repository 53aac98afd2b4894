import { dayNumber } from '#contracts/calendar-day.js';
import { Random } from '#apps/cli/src/demo-shop/random.js';
import { loadAsnTable } from '#apps/integrity/src/networks/load-asn-table.js';
import { AddressBook } from './address-book.js';
import { HELD_OUT_PROFILES } from './held-out/held-out-profiles.js';
import { AWKWARD_PEOPLE } from './profiles/awkward-people.js';
import { BLENDING_BOTS } from './profiles/blending-bots.js';
import { CRUDE_BOTS } from './profiles/crude-bots.js';
import { EVERYDAY_PEOPLE } from './profiles/everyday-people.js';
import { HIDDEN_BOTS } from './profiles/hidden-bots.js';
import { isBotGroup, type Group, type Profile } from './profiles/profile.js';
import type { Site } from './site.js';
import { World, type Actor, type SimEvent } from './world.js';

/** Easy: ordinary people and crude bots. Hard: awkward people and bots that blend in as well. */
export type Mix = 'easy' | 'hard' | 'people';

export interface Scenario {
  /** Another number, other traffic on another site. */
  seed: number;
  mix: Mix;
  /** Profiles and networks that detection is not tuned on. Default: false. */
  heldOut?: boolean;
  /** Last local day, `YYYY-MM-DD`. Default: 2026-09-20. */
  until?: string;
  /** Default: 10. */
  days?: number;
  /** IANA name. Default: drawn by the seed. */
  timezone?: string;
  /** Factors on the numbers of people and of bots. Default: 1. */
  people?: number;
  bots?: number;
  /** Default: drawn by the seed; one site in eight does not. */
  tracksConversions?: boolean;
}

export interface SimulatedTraffic {
  scenario: Scenario;
  timezone: string;
  /** Local days since 1970, both inclusive. */
  firstDay: number;
  lastDay: number;
  site: Site;
  /** By time. */
  events: readonly SimEvent[];
  /** Who was behind a `distinct_id`. */
  actors: ReadonlyMap<string, Actor>;
}

export const DEVELOPMENT_PROFILES: readonly Profile[] = [
  ...EVERYDAY_PEOPLE,
  ...AWKWARD_PEOPLE,
  ...CRUDE_BOTS,
  ...BLENDING_BOTS,
  ...HIDDEN_BOTS,
];

const GROUPS: Readonly<Record<Mix, readonly Group[]>> = {
  easy: ['everyday_people', 'crude_bots'],
  hard: ['everyday_people', 'awkward_people', 'crude_bots', 'blending_bots', 'hidden_bots'],
  people: ['everyday_people', 'awkward_people'],
};

const TIMEZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'America/Los_Angeles',
  'UTC',
  'Australia/Sydney',
];
const SEED_OF_SCENARIO = 90;

let book: AddressBook | undefined;

/** The traffic of one asset over some days, the same for the same scenario. Takes a second or two for 60,000 events. */
export function simulate(scenario: Scenario): SimulatedTraffic {
  const { seed, mix, heldOut = false, until = '2026-09-20', days = 10, people = 1, bots = 1 } = scenario;
  book ??= new AddressBook(loadAsnTable().table);
  const drawn = new Random(seed, SEED_OF_SCENARIO);
  const timezone = scenario.timezone ?? drawn.pick(TIMEZONES);
  const lastDay = dayNumber(until);
  const tracksConversions = scenario.tracksConversions ?? !drawn.chance(0.125);
  const options = { seed, firstDay: lastDay - days + 1, lastDay, timezone, tracksConversions, heldOut, book };
  const world = new World(options);
  for (const profile of heldOut ? HELD_OUT_PROFILES : DEVELOPMENT_PROFILES) {
    const { name, group } = profile;
    if (!GROUPS[mix].includes(group)) continue;
    const isBot = isBotGroup(group);
    const random = world.randomOf(name);
    // No two assets have the same mix.
    const volume = (isBot ? bots : people) * Math.exp(0.35 * random.normal());
    profile.act(world, random, { profile: name, isBot, attributable: group !== 'hidden_bots' }, volume);
  }
  const [from, to] = [world.at(options.firstDay, 0), world.at(lastDay + 1, 0)];
  const events = world.events
    .map((event) => ({ event, at: Date.parse(event.event_time) }))
    .filter(({ at }) => at >= from && at < to)
    .sort((a, b) => a.at - b.at)
    .map(({ event }) => event);
  return { scenario, timezone, firstDay: options.firstDay, lastDay, site: world.site, events, actors: world.actors };
}
