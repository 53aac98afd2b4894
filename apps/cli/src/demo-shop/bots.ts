import { weekNumber, type LocalDays } from './calendar.js';
import { PAID_CHANNELS, UNPAID_CHANNELS, type Touch } from './channels.js';
import { timeOfDay } from './hours.js';
import { PLACES, type Place } from './places.js';
import { Random } from './random.js';
import type { Person, Visit } from './visits.js';

const BOT = 20;
const BOT_NETWORK = 21;

/** Programs that click on advertisements, or read the shop, from the networks of one hoster. */
interface BotFleet {
  /** First two numbers of addresses that the hoster announces. */
  prefix: string;
  city: string;
  /** How many /24s, and addresses in each. */
  networks: number;
  hosts: number;
  channel: string;
  browsers: readonly (readonly [name: string, os: string])[];
  visitsADay: number;
  /** At any hour, or when people come. */
  hours: 'any' | 'like people';
  /** Active in so many of four weeks. */
  weeks: number;
}

const FLEETS: readonly BotFleet[] = [
  { prefix: '144.76', city: 'Nürnberg', networks: 1, hosts: 3, channel: 'Google Ads', browsers: [['Chrome', 'Windows']], visitsADay: 34, hours: 'any', weeks: 3 },
  { prefix: '137.74', city: 'Paris', networks: 2, hosts: 30, channel: 'Meta Ads', browsers: [['Chrome', 'Android'], ['Samsung Internet', 'Android'], ['Safari', 'iOS']], visitsADay: 22, hours: 'like people', weeks: 4 },
  { prefix: '54.210', city: 'Washington, D.C.', networks: 1, hosts: 2, channel: 'Google Ads', browsers: [['HeadlessChrome', 'Linux']], visitsADay: 9, hours: 'any', weeks: 2 },
  { prefix: '167.99', city: 'New York', networks: 20, hosts: 200, channel: 'Google Ads', browsers: [['Chrome', 'Windows'], ['Edge', 'Windows'], ['Chrome', 'macOS']], visitsADay: 14, hours: 'like people', weeks: 4 },
  { prefix: '45.76', city: 'London', networks: 1, hosts: 4, channel: 'Direct', browsers: [['AhrefsBot', 'Linux'], ['bingbot', 'Linux']], visitsADay: 10, hours: 'any', weeks: 4 },
]; // prettier-ignore

/** Of a fleet's addresses the first two numbers. */
export const BOT_PREFIXES: readonly string[] = FLEETS.map(({ prefix }) => prefix);

/** Visits of programs on a day, from addresses of real hosters: people of this shop have addresses that belong to nobody. */
export function bots(seed: number, days: LocalDays): (day: number) => Visit[] {
  return (day) => FLEETS.flatMap((fleet, index) => visitsOf(fleet, index, seed, day, days));
}

function visitsOf(fleet: BotFleet, index: number, seed: number, day: number, days: LocalDays): Visit[] {
  if ((weekNumber(day) + index) % 4 >= fleet.weeks) return [];
  const count = new Random(seed, BOT, index, day).poisson(fleet.visitsADay);
  const place = placeOf(fleet.city);
  return Array.from({ length: count }, (_, number): Visit => {
    const keys = [BOT, index, day, number];
    const random = new Random(seed, ...keys);
    const part = fleet.hours === 'any' ? random.unit() : timeOfDay(random, day);
    const startMs = Math.floor(days.start(day) + part * days.lengthMs(day));
    const [browser, os] = random.pick(fleet.browsers);
    const network = new Random(seed, BOT_NETWORK, index, random.whole(1, fleet.networks)).whole(0, 255);
    const address = `${fleet.prefix}.${network}.${random.whole(1, fleet.hosts)}`;
    const distinctId = Buffer.from(random.bytes(10)).toString('hex');
    const touch = touchOf(random, fleet.channel);
    const person: Person = { keys, place, firstSeenMs: startMs };
    const device = { distinctId, browser, os, intent: 0, address: () => address };
    return {
      person,
      index: 0,
      day,
      startMs,
      device,
      first: touch,
      touch,
      outcome: { kind: 'bounce' },
      anonymous: false,
    };
  });
}

function placeOf(city: string): Place {
  const place = PLACES.find((one) => one.city === city);
  if (place === undefined) throw new RangeError(`${city} is no place of the shop`);
  return place;
}

function touchOf(random: Random, name: string): Touch {
  const paid = PAID_CHANNELS.find(({ channel }) => channel === name);
  if (paid !== undefined) {
    const { channel, type, source, medium, campaigns } = paid;
    return { channel, type, source, medium, campaign: random.weighted(campaigns, ({ share }) => share).name };
  }
  const unpaid = UNPAID_CHANNELS.find(({ channel }) => channel === name);
  if (unpaid === undefined) throw new RangeError(`${name} is no channel of the shop`);
  const { channel, type, medium, sources } = unpaid;
  return { channel, type, source: random.weighted(sources, ({ share }) => share).name, medium };
}
