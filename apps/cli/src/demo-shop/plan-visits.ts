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
  const { random, place } = newcomer;
  const visits: Visit[] = [];
  const devices: KnownDevice[] = [];
  const person: Person = { keys: newcomer.keys, place, firstSeenMs: 0 };
  const wantsAccount = random.chance(0.22);
  let subscriber = random.chance(0.08);
  let account: { account: Account; sinceMs: number } | undefined;
  let day = firstDay;
  let touch = newcomer.touch;

  for (let index = 0; ; index++) {
    const startMs = days.start(day) + Math.floor(timeOfDay(random, day) * days.lengthMs(day));
    if (index === 0) person.firstSeenMs = startMs;
    const known = chooseDevice(random, devices, touch);
    const outcome = chooseOutcome(random, newcomer.intent * known.device.intent, index);
    const consent = answerBanner(random, known);
    const login = logIn();
    visits.push({
      person,
      index: visits.length,
      day,
      startMs,
      device: known.device,
      first: known.first,
      touch,
      outcome,
      ...(login === undefined ? {} : { login }),
      ...(consent === undefined ? {} : { consent }),
      anonymous: known.consent === 'reject',
    });
    if (outcome.kind === 'purchase' && random.chance(0.04)) planRefund(outcome.order, known, startMs, login);
    if (!random.chance(COMES_BACK)) break;
    day = nextDay(random, day);
    if (day > firstDay + LONGEST_STAY_DAYS) break;
    subscriber ||= outcome.kind === 'signup';
    touch = returningTouch(random, seed, subscriber || account !== undefined, day);

    /** People who buy or want an account say who they are; later on, their devices know it mostly. */
    function logIn(): Login | undefined {
      if (known.loggedInMs === undefined) {
        const wants =
          account === undefined
            ? (outcome.kind === 'purchase' && random.chance(0.7)) || (wantsAccount && random.chance(0.4))
            : random.chance(0.5);
        if (!wants || outcome.kind === 'bounce') return undefined;
        known.loggedInMs = startMs + LOGIN_AFTER_MS;
        account ??= { account: newAccount(random, place), sinceMs: known.loggedInMs };
      } else if (random.chance(0.12)) return undefined;
      return account && { account: account.account, atMs: known.loggedInMs, identifiedMs: account.sinceMs };
    }
  }
  return visits.sort((a, b) => a.startMs - b.startMs);

  function planRefund(order: readonly Product[], known: KnownDevice, boughtMs: number, login?: Login): void {
    const refundDay = day + random.whole(2, 9);
    if (refundDay > firstDay + LONGEST_STAY_DAYS) return;
    const startMs = days.start(refundDay) + random.whole(9 * 3600, 17 * 3600) * 1_000;
    if (startMs < boughtMs) return;
    visits.push({
      person,
      index: visits.length,
      day: refundDay,
      startMs,
      device: known.device,
      first: known.first,
      touch: known.first,
      outcome: { kind: 'refund', order },
      ...(login === undefined ? {} : { login }),
      anonymous: true,
    });
  }
}

/** Mostly the first one; a person has three at most. */
function chooseDevice(random: Random, devices: KnownDevice[], touch: Touch): KnownDevice {
  const [main] = devices;
  if (main !== undefined && random.chance(0.74)) return main;
  const [, ...others] = devices;
  if (others.length > 0 && (others.length === 2 || random.chance(0.8))) return random.pick(others);
  const device = { device: newDevice(random, main?.device), first: touch };
  devices.push(device);
  return device;
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
