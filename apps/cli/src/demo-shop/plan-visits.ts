import { weekday, type LocalDays } from './calendar.js';
import { productPage, type Product } from './catalog.js';
import type { Touch } from './channels.js';
import { newDevice, type Device } from './devices.js';
import { timeOfDay } from './hours.js';
import { newAccount, type Account } from './names.js';
import type { Newcomer } from './people.js';
import type { Random } from './random.js';
import { returningTouch } from './touches.js';
import type { ConsentAnswer, Login, Outcome, Person, Visit } from './visits.js';

/** Nobody comes back later than this after the first visit. */
export const LONGEST_STAY_DAYS = 75;

const COMES_BACK = 0.51;
const MEAN_GAP_DAYS = 5;
const BUYS = 0.033;
/** Who comes back is closer to buying; the newsletter is for those who are new. */
const BUYS_BY_VISIT = [0.7, 1.5, 2.1, 2.4];
const SIGNS_UP = 0.055;
const SIGNS_UP_BY_VISIT = [1, 0.4, 0.2];
const LOGIN_AFTER_MS = 25_000;

/** Weekdays on which a planned return happens as planned; else it waits a day. */
const RETURNS = [0.85, 0.82, 0.8, 0.82, 0.8, 0.9, 1];

interface KnownDevice {
  device: Device;
  first: Touch;
  consent?: ConsentAnswer;
  loggedInMs?: number;
}

/**
 * All visits of a person, by time: returns, further devices, a login on some of them, orders and refunds. Everything
 * follows from the person's own numbers, whatever days are looked at.
 */
export function planVisits(newcomer: Newcomer, seed: number, firstDay: number, days: LocalDays): Visit[] {
  const life = new Life(newcomer, days);
  const { random } = newcomer;
  let touch = newcomer.touch;
  for (let day = firstDay, count = 0; day <= firstDay + LONGEST_STAY_DAYS; day = nextDay(random, day), count++) {
    if (count > 0) touch = returningTouch(random, seed, life.getsNewsletter, day);
    life.visit(day, touch, count);
    if (!random.chance(COMES_BACK)) break;
  }
  return life.visits.filter(({ day }) => day <= firstDay + LONGEST_STAY_DAYS).sort((a, b) => a.startMs - b.startMs);
}

/** One person, visit after visit. */
class Life {
  readonly visits: Visit[] = [];
  private readonly random: Random;
  private readonly person: Person;
  private readonly devices: KnownDevice[] = [];
  private readonly wantsAccount: boolean;
  private subscriber: boolean;
  private account: { account: Account; sinceMs: number } | undefined;

  constructor(
    private readonly newcomer: Newcomer,
    private readonly days: LocalDays,
  ) {
    this.random = newcomer.random;
    this.person = { keys: newcomer.keys, place: newcomer.place, firstSeenMs: 0 };
    this.wantsAccount = this.random.chance(0.22);
    this.subscriber = this.random.chance(0.08);
  }

  get getsNewsletter(): boolean {
    return this.subscriber || this.account !== undefined;
  }

  /** @param count how many visits there were before */
  visit(day: number, touch: Touch, count: number): void {
    const { random, days } = this;
    const startMs = days.start(day) + Math.floor(timeOfDay(random, day) * days.lengthMs(day));
    if (count === 0) this.person.firstSeenMs = startMs;
    const known = this.chooseDevice(touch);
    const outcome = chooseOutcome(random, this.newcomer.intent * known.device.intent, count);
    const consent = answerBanner(random, known);
    const login = this.logIn(known, startMs, outcome);
    this.subscriber ||= outcome.kind === 'signup';
    this.add(known, {
      day,
      startMs,
      touch,
      outcome,
      ...(login === undefined ? {} : { login }),
      ...(consent === undefined ? {} : { consent }),
      anonymous: known.consent === 'reject',
    });
    if (outcome.kind === 'purchase' && random.chance(0.04)) this.refund(known, outcome.order, day, login);
  }

  /** The shop's own system books it some days later. */
  private refund(known: KnownDevice, order: readonly Product[], bought: number, login: Login | undefined): void {
    const day = bought + this.random.whole(2, 9);
    this.add(known, {
      day,
      startMs: this.days.start(day) + this.random.whole(9 * 3600, 17 * 3600) * 1_000,
      touch: known.first,
      outcome: { kind: 'refund', order },
      ...(login === undefined ? {} : { login }),
      anonymous: true,
    });
  }

  private add({ device, first }: KnownDevice, more: Omit<Visit, 'person' | 'index' | 'device' | 'first'>): void {
    this.visits.push({ person: this.person, index: this.visits.length, device, first, ...more });
  }

  /** People who buy or want an account say who they are; later on, their devices know it mostly. */
  private logIn(known: KnownDevice, startMs: number, outcome: Outcome): Login | undefined {
    if (known.loggedInMs !== undefined) {
      if (this.random.chance(0.12)) return undefined;
    } else {
      if (!this.saysWho(outcome) || outcome.kind === 'bounce') return undefined;
      known.loggedInMs = startMs + LOGIN_AFTER_MS;
    }
    this.account ??= { account: newAccount(this.random, this.person.place), sinceMs: known.loggedInMs };
    return { account: this.account.account, atMs: known.loggedInMs, identifiedMs: this.account.sinceMs };
  }

  private saysWho({ kind }: Outcome): boolean {
    if (this.account !== undefined) return this.random.chance(0.5);
    return (kind === 'purchase' && this.random.chance(0.7)) || (this.wantsAccount && this.random.chance(0.4));
  }

  /** Mostly the first one; a person has three at most. */
  private chooseDevice(touch: Touch): KnownDevice {
    const { random, devices } = this;
    const [main, ...others] = devices;
    if (main !== undefined && random.chance(0.74)) return main;
    if (others.length === 2 || (others.length === 1 && random.chance(0.8))) return random.pick(others);
    const device = { device: newDevice(random, main?.device), first: touch };
    devices.push(device);
    return device;
  }
}

function chooseOutcome(random: Random, intent: number, visit: number): Outcome {
  const buys = BUYS * intent * (BUYS_BY_VISIT[visit] ?? 2.4);
  const turn = random.unit();
  if (turn < buys) return { kind: 'purchase', order: fillBasket(random) };
  const signsUp = SIGNS_UP * intent * (SIGNS_UP_BY_VISIT[visit] ?? 0);
  if (turn < buys + signsUp) return { kind: 'signup' };
  if (turn < buys + signsUp + 0.08) return { kind: 'cart' };
  return { kind: turn > (visit === 0 ? 0.6 : 0.72) ? 'bounce' : 'browse' };
}

function fillBasket(random: Random): Product[] {
  const basket: Product[] = [];
  while (basket.length === 0 || (basket.length < 4 && random.chance(0.38))) {
    const { product } = productPage(random);
    if (product !== undefined) basket.push(product);
  }
  return basket;
}

/** Four of five answer the banner at their first visit, some change their mind later. */
function answerBanner(random: Random, known: KnownDevice): ConsentAnswer | undefined {
  if (known.consent === undefined) {
    if (random.chance(0.2)) return undefined;
    const turn = random.unit();
    known.consent = turn < 0.7 ? 'accept' : turn < 0.88 ? 'reject' : 'update';
    return known.consent;
  }
  if (!random.chance(0.02)) return undefined;
  known.consent = 'update';
  return known.consent;
}

function nextDay(random: Random, day: number): number {
  let next = day + 1 + Math.floor(random.exponential(MEAN_GAP_DAYS));
  while (!random.chance(RETURNS[weekday(next)] ?? 1)) next++;
  return next;
}
