import { LocalDays, weekday } from '#apps/cli/src/demo-shop/calendar.js';
import { Random } from '#apps/cli/src/demo-shop/random.js';
import type { EventRecord } from '#contracts/collect/collected.js';
import { NetworkDraw, type AddressBook, type Network } from './address-book.js';
import { Devices, type Device, type DeviceKind } from './devices.js';
import { Site, type Channel, type ChannelSlug } from './site.js';
import { humanSteps, type Step, type Temper } from './visit.js';

/** An event as a collector sends it: what it does not know is absent. */
export type SimEvent = Pick<EventRecord, 'event_id' | 'event_time' | 'event_type' | 'distinct_id'> &
  Partial<Omit<EventRecord, 'time_us'>>;

/** Who was behind a visitor id. */
export interface Actor {
  profile: string;
  isBot: boolean;
  /** Whether an honest rule can tie these bots to a network at all; true for people. */
  attributable: boolean;
}

/** A browser with its first touch. */
export interface Visitor {
  id: string;
  device: Device;
  first?: Channel;
  user?: string;
  /** Its address is not collected. */
  anonymous: boolean;
}

export interface VisitPlan {
  visitor: Visitor;
  network: Network;
  /** Which address of the network. */
  host: number;
  channel: Channel;
  startMs: number;
  steps: readonly Step[];
  /** Where the address is said to be, when not where it is. */
  country?: string;
}

export interface WorldOptions {
  seed: number;
  /** First and last local day, days since 1970. */
  firstDay: number;
  lastDay: number;
  timezone: string;
  tracksConversions: boolean;
  /** Draws addresses of networks, and keeps numbers, that development never sees. */
  heldOut: boolean;
  book: AddressBook;
}

/** Visits by hour of the local day. */
export const HOURS = {
  people: [9, 5, 3, 2, 2, 3, 8, 14, 19, 23, 26, 27, 29, 28, 26, 26, 27, 29, 33, 38, 42, 40, 30, 17],
  office: [0, 0, 0, 0, 0, 0, 2, 8, 26, 38, 40, 36, 26, 34, 38, 36, 30, 16, 5, 2, 1, 0, 0, 0],
  night: [30, 34, 34, 30, 26, 18, 8, 3, 1, 1, 2, 3, 4, 4, 5, 6, 8, 8, 8, 10, 12, 16, 22, 28],
  school: [0, 0, 0, 0, 0, 0, 0, 4, 34, 40, 36, 40, 20, 24, 16, 6, 1, 0, 0, 0, 0, 0, 0, 0],
  flat: Array.from({ length: 24 }, () => 1),
} as const;

const SEED_OF_SITE = 91;
const SEED_OF_NETWORKS = 92;
const HOUR_MS = 3_600_000;

/** One asset over some days: what the profiles need to act, and what was collected of it. */
export class World {
  readonly random: Random;
  readonly site: Site;
  readonly networks: NetworkDraw;
  readonly devices: Devices;
  readonly days: readonly number[];
  readonly events: SimEvent[] = [];
  /** By visitor id. */
  readonly actors = new Map<string, Actor>();
  /** Networks where people live, for bots that hide among them. */
  readonly homes: Network[] = [];
  /** Those with many more visits than a bot makes. */
  readonly busyHomes: Network[] = [];
  private readonly localDays: LocalDays;
  private readonly rhythm: readonly number[];
  private readonly seed: number;
  private readonly heldOut: boolean;

  constructor({ seed, firstDay, lastDay, timezone, tracksConversions, heldOut, book }: WorldOptions) {
    const style = heldOut ? 2 : 1;
    this.random = new Random(seed, style);
    const siteRandom = new Random(seed, style, SEED_OF_SITE);
    this.site = new Site(siteRandom, { tracksConversions });
    this.devices = new Devices(siteRandom.chance(0.4));
    this.networks = new NetworkDraw(book, new Random(seed, style, SEED_OF_NETWORKS), heldOut);
    this.days = Array.from({ length: lastDay - firstDay + 1 }, (_, index) => firstDay + index);
    this.localDays = new LocalDays(timezone);
    const weekend = 0.75 + siteRandom.unit() * 0.6;
    this.rhythm = [1, 1, 1, 1, 1.02, weekend, weekend].map((factor) => factor * (0.92 + siteRandom.unit() * 0.16));
    this.seed = seed;
    this.heldOut = heldOut;
  }

  /** Numbers for one profile: what others draw does not move them. */
  randomOf(name: string): Random {
    let key = 0;
    for (let index = 0; index < name.length; index++) key = (Math.imul(key, 31) + name.charCodeAt(index)) | 0;
    return new Random(this.seed, this.heldOut ? 2 : 1, key);
  }

  /** Milliseconds since 1970 of a local day and hour, which may have a fraction. */
  at(day: number, hour: number): number {
    return Math.floor(this.localDays.start(day) + hour * HOUR_MS);
  }

  /** Times of chance over all days, in no order; as many a day as the mean says, by hour and day of the week. */
  times(random: Random, perDay: number, hours: readonly number[], weekend = 1): number[] {
    return this.days.flatMap((day) => {
      const factor = (this.rhythm[weekday(day)] ?? 1) * (weekday(day) > 4 ? weekend : 1);
      return Array.from({ length: random.poisson(perDay * factor) }, () => this.timeOn(random, day, hours));
    });
  }

  timeOn(random: Random, day: number, hours: readonly number[]): number {
    const [hour] = random.weighted([...hours.entries()], ([, weight]) => weight);
    return this.at(day, hour + random.unit());
  }

  anyChannel(random: Random, choice: { paid?: boolean } = {}): Channel {
    const channels = this.site.channels.filter(({ paid }) => choice.paid === undefined || paid === choice.paid);
    return random.weighted(channels, ({ share }) => share);
  }

  channel(slug: ChannelSlug): Channel {
    return this.site.channel(slug);
  }

  visitor(actor: Actor, random: Random, device: Device | DeviceKind): Visitor {
    const id = Buffer.from(random.bytes(8)).toString('hex');
    this.actors.set(id, actor);
    const anonymous = !actor.isBot && random.chance(this.site.anonymous);
    if (!actor.isBot && random.chance(this.site.unnamed)) return { id, device: { browser: '', os: '' }, anonymous };
    return { id, device: typeof device === 'string' ? this.devices.draw(device, random) : device, anonymous };
  }

  /** A person's visit as it is usual on the site. */
  people(random: Random, visit: Omit<VisitPlan, 'steps'>, temper?: Temper): void {
    this.visit(random, { ...visit, steps: humanSteps(random, this.site, visit.channel, temper) });
  }

  visit(random: Random, { visitor, network, host, channel, startMs, steps, country }: VisitPlan): void {
    const first = (visitor.first ??= channel);
    const ip = network.address(host, random);
    for (const { atMs, type, path, name, value } of steps) {
      const time = startMs + atMs;
      this.events.push({
        event_id: `${time.toString(36)}-${this.seed.toString(36)}-${this.events.length.toString(36)}`,
        event_time: new Date(time).toISOString(),
        event_type: type,
        distinct_id: visitor.id,
        ...(name === undefined ? {} : { event_name: name }),
        ...(visitor.user === undefined ? {} : { global_user_id: visitor.user }),
        page_host: this.site.host,
        page_path: path,
        ft_channel: first.name,
        ft_source: first.source,
        lt_channel: channel.name,
        lt_channel_type: channel.type,
        lt_source: channel.source,
        ...(visitor.anonymous ? {} : { ip }),
        geo_country: country ?? network.country,
        ...(visitor.device.browser === '' ? {} : { ua_browser: visitor.device.browser }),
        ...(visitor.device.os === '' ? {} : { ua_os: visitor.device.os }),
        ...(value === undefined ? {} : { value: value.toFixed(2), currency: 'EUR' }),
      });
    }
  }
}
