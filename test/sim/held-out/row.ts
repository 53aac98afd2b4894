import type { Random } from '#apps/cli/src/demo-shop/random.js';
import type { Network } from '../address-book.js';
import type { Device } from '../devices.js';
import type { NetworkKind } from '../places-of-networks.js';
import type { Group, Profile } from '../profiles/profile.js';
import type { ChannelSlug } from '../site.js';
import type { Actor, Visitor, World } from '../world.js';
import { WALKS, walk } from './walks.js';

type Span = readonly [low: number, high: number];

/** A profile in numbers; where there is a span, each network draws its own. */
export interface Row {
  name: string;
  group: Group;
  where: readonly (readonly [NetworkKind, number])[];
  /** In home networks of others, with few visits of theirs or many. */
  among?: 'few' | 'many';
  /** People for bots with `among` many. */
  crowded?: true;
  /** All networks belong to one AS. */
  oneOwner?: true;
  networks: Span;
  /** Over the whole range. */
  visits: Span;
  hosts: Span;
  /** Hours around which visits come, their deviation, and how many; absent: at any hour. */
  peaks?: readonly (readonly [hour: number, deviation: number, weight: number])[];
  /** Part of the usual visits that come on Saturday and Sunday; absent: 1. */
  weekend?: number;
  /** Part of the days on which there are visits at all; absent: all. */
  activeDays?: Span;
  /** All within so many minutes. */
  minutes?: Span;
  /** One after the other, so many seconds with a relative deviation. */
  period?: readonly [seconds: Span, deviation: number];
  /** In these first seconds of a minute. */
  seconds?: number;
  /** Chance that a visit has a new visitor id. */
  fresh: number;
  agents: readonly (readonly [browser: string, os: string, weight: number])[];
  /** One of the agents for all visits of a network. */
  oneAgent?: true;
  channels: readonly (readonly [ChannelSlug, number])[];
  walk: keyof typeof WALKS;
  /** Countries that addresses seem to be in. */
  countries?: readonly string[];
}

const DAY_MS = 86_400_000;

/** Makes a profile of a row. */
export function profileOf(row: Row): Profile {
  return {
    name: row.name,
    group: row.group,
    act(world, random, actor, volume) {
      const owner = row.oneOwner === true ? world.networks.owner(row.where[0]?.[0] ?? 'hoster') : undefined;
      const count = Math.max(1, Math.round(volume * random.whole(...row.networks)));
      for (let index = 0; index < count; index++) {
        const network = networkOf(row, world, random, owner);
        if (network !== undefined) visitFrom(row, network, world, random, actor);
      }
    },
  };
}

function networkOf(row: Row, world: World, random: Random, owner?: number): Network | undefined {
  if (row.among !== undefined) {
    const homes = row.among === 'many' ? world.busyHomes : world.homes;
    return homes.length === 0 ? undefined : random.pick(homes);
  }
  const [kind] = random.weighted(row.where, ([, weight]) => weight);
  const network = world.networks.next(kind, owner === undefined ? {} : { asn: owner });
  if (row.crowded === true) world.busyHomes.push(network);
  else if (row.group === 'everyday_people' && kind === 'home') world.homes.push(network);
  return network;
}

function visitFrom(row: Row, network: Network, world: World, random: Random, actor: Actor): void {
  const hosts = random.whole(...row.hosts);
  const firstHost = random.whole(0, 200);
  const agent = (): Device => {
    const [browser, os] = random.weighted(row.agents, ([, , weight]) => weight);
    return { browser, os };
  };
  const only = row.oneAgent === true ? agent() : undefined;
  const known: { visitor: Visitor; host: number }[] = [];
  for (const startMs of timesOf(row, world, random)) {
    let one = known.length > 0 && !random.chance(row.fresh) ? random.pick(known) : undefined;
    if (one === undefined) {
      const visitor = world.visitor(actor, random, only ?? agent());
      if (!actor.isBot && random.chance(0.1)) visitor.user = `account-${visitor.id}`;
      known.push((one = { visitor, host: firstHost + random.whole(0, hosts - 1) }));
    }
    const [slug] = random.weighted(row.channels, ([, weight]) => weight);
    const channel = world.channel(slug);
    world.visit(random, {
      ...one,
      network,
      channel,
      startMs,
      steps: walk(random, world.site, channel, WALKS[row.walk]),
      ...(row.countries === undefined ? {} : { country: random.pick(row.countries) }),
    });
  }
}

/** In order. */
function timesOf(row: Row, world: World, random: Random): number[] {
  const days = activeDays(row, world, random);
  const hourOf = (): number => {
    if (row.peaks === undefined) return 24 * random.unit();
    const [hour, deviation] = random.weighted(row.peaks, ([, , weight]) => weight);
    return (((hour + deviation * random.normal()) % 24) + 24) % 24;
  };
  const first = days[0] ?? 0;
  const begin = world.at(first, hourOf());
  const [low, high] = row.visits;
  // As many networks between 5 and 10 as between 50 and 100.
  const visits = Math.round(low * (high / low) ** random.unit());
  let times: number[];
  if (row.period !== undefined) {
    const [seconds, deviation] = row.period;
    const periodMs = random.whole(...seconds) * 1_000;
    let at = begin;
    times = Array.from({ length: visits }, () =>
      Math.floor((at += periodMs * Math.max(0.1, 1 + deviation * random.normal()))),
    );
  } else if (row.minutes !== undefined) {
    const lengthMs = random.whole(...row.minutes) * 60_000;
    times = Array.from({ length: visits }, () => begin + Math.floor(random.unit() * lengthMs));
  } else {
    const weight = (day: number): number => ((day + 3) % 7 > 4 ? (row.weekend ?? 1) : 1);
    times = Array.from({ length: visits }, () => world.at(random.weighted(days, weight), hourOf()));
  }
  const { seconds } = row;
  if (seconds !== undefined) times = times.map((at) => at - (at % 60_000) + random.whole(0, seconds * 1_000));
  return times.sort((a, b) => a - b).filter((at) => at < begin + world.days.length * DAY_MS);
}

function activeDays(row: Row, world: World, random: Random): readonly number[] {
  if (row.activeDays === undefined) return world.days;
  const [low, high] = row.activeDays;
  const length = Math.max(1, Math.round(world.days.length * (low + random.unit() * (high - low))));
  const start = random.whole(0, world.days.length - length);
  return world.days.slice(start, start + length);
}
