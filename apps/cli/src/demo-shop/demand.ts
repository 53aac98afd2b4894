import { weekday, weekNumber, yearPart } from './calendar.js';
import { PAID_CHANNELS, type PaidChannel } from './channels.js';
import { Random } from './random.js';

/** Monday to Sunday: people look for plants at the end of the week. */
const WEEKDAYS = [0.98, 0.95, 0.93, 0.96, 0.92, 1.06, 1.2];
const SPEND_WEEKDAYS = [1.03, 1.04, 1.02, 1.01, 0.98, 0.94, 0.98];
/** Days after which nothing is left of an effect: 0.85 to the power of 60 is under 0.0001. */
const MEMORY_DAYS = 60;

/** Keys of random numbers, so that no two purposes share a stream. */
const WEEK_DEMAND = 1;
const WEEK_SPEND = 2;
const DAY_SPEND = 3;

/** How many people want plants on this day, about 1: the year, the week, the day of the week. */
export function demand(seed: number, day: number): number {
  const year = 1 + 0.05 * Math.cos(2 * Math.PI * (yearPart(day) - 0.35));
  const week = 1 + 0.035 * new Random(seed, WEEK_DEMAND, weekNumber(day)).normal();
  return year * week * (WEEKDAYS[weekday(day)] ?? 1);
}

/** What a channel cost on this day, without cents; 0 in a paused week. */
export function spendOf(seed: number, channel: PaidChannel, day: number): number {
  const week = weekNumber(day);
  const index = PAID_CHANNELS.indexOf(channel);
  if (channel.pauseEvery !== undefined && (week + index) % channel.pauseEvery === 0) return 0;
  const { weeks, height, chance } = channel.wave;
  const wave = height * Math.sin(2 * Math.PI * (week / weeks + index / 3));
  const level = Math.max(0.2, 1 + wave + chance * new Random(seed, WEEK_SPEND, index, week).normal());
  const noise = 1 + 0.06 * new Random(seed, DAY_SPEND, index, day).normal();
  return Math.round(channel.dailySpend * level * noise * (SPEND_WEEKDAYS[weekday(day)] ?? 1));
}

/**
 * New people whom a channel's spend up to this day brings on it: what it spent fades by `carry` from day to day
 * (geometric adstock), and each further unit brings less (A / (A + half)).
 */
export function visitorsFrom(seed: number, channel: PaidChannel, day: number): number {
  let stock = 0;
  let weight = 1 - channel.carry;
  for (let ago = 0; ago < MEMORY_DAYS; ago++, weight *= channel.carry) {
    stock += weight * spendOf(seed, channel, day - ago);
  }
  const usualDays = stock / channel.dailySpend;
  return (channel.visitors * usualDays * (1 + channel.half)) / (usualDays + channel.half);
}
