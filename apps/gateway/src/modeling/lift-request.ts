import { GEO_LEVELS, type LiftRequest } from '#contracts/modeling/lift-test.js';
import { isLongerThan, isWholeText } from '#contracts/text.js';
import { daysAfter, daysBetween } from '../exports/date-range.js';
import { BodyMembers, MemberFault } from '../uploads/body-members.js';
import {
  date,
  decimal,
  list,
  memberOf,
  members as membersOf,
  oneOf,
  text,
  wholeNumber,
} from '../uploads/member-values.js';
import { seed, target } from './modeling-values.js';
import { isSamePlace } from './places.js';

const MEMBERS = [
  'name',
  'metric',
  'channels',
  'campaigns',
  'spend',
  'geo_level',
  'treated',
  'controls',
  'control_metrics',
  'test_from',
  'test_to',
  'tail_days',
  'pre_from',
  'seed',
] as const;
type Body = BodyMembers<(typeof MEMBERS)[number]>;

export const MOST_CHANNELS = 100;
export const MOST_PLACES = 1_000;
export const MOST_CONTROL_METRICS = 20;
const TEST_DAYS = { least: 7, most: 120 };
const PRE_DAYS = { least: 28, default: 90, most: 400 };

/** Codes as in ISO 4217; which of them are in use is not asked. */
const CURRENCY = /^[A-Za-z]{3}$/;

interface Dates {
  test_from: string;
  test_to: string;
  tail_days: number;
  pre_from: string;
}

/**
 * Reads a lift test; null is an absent member. What only data can tell, such as whether a place occurs, is not asked here.
 *
 * @throws AppError `invalid_json` · `invalid_parameter` naming each member that is wrong
 */
export function readLiftRequest(body: string): LiftRequest {
  const members = new BodyMembers(body, MEMBERS);
  const request = {
    name: members.required('name', text()) ?? '',
    metric: members.required('metric', target) ?? '',
    channels: members.required('channels', list(text(), { least: 1, most: MOST_CHANNELS })) ?? [],
    campaigns: members.optional('campaigns', list(text(), { most: MOST_PLACES })) ?? [],
    spend: members.optional('spend', spend) ?? null,
    ...readPlaces(members),
    control_metrics: members.optional('control_metrics', list(target, { most: MOST_CONTROL_METRICS })) ?? [],
  };
  if (request.geo_level !== null && request.control_metrics.length > 0)
    members.refuse('control_metrics', 'is for tests of the whole market, without `geo_level`');
  const itself = request.control_metrics.findIndex((control) => control === request.metric);
  if (itself >= 0) members.refuse(`control_metrics[${itself}]`, 'is the metric of the test itself');
  const dates = readDates(members);
  const ofNumbers = members.optional('seed', seed) ?? 1;
  members.check();
  if (dates === undefined) throw new Error('A wrong date has not been refused.');
  return { ...request, ...dates, seed: ofNumbers };
}

/** The last day that counts, tail included. */
export function windowEnd({ test_to, tail_days }: Pick<LiftRequest, 'test_to' | 'tail_days'>): string {
  return daysAfter(test_to, tail_days);
}

function readPlaces(members: Body): Pick<LiftRequest, 'geo_level' | 'treated' | 'controls'> {
  const places = {
    geo_level: members.optional('geo_level', oneOf(GEO_LEVELS)) ?? null,
    treated: members.optional('treated', list(place, { most: MOST_PLACES })) ?? [],
    controls: members.optional('controls', list(place, { most: MOST_PLACES })) ?? [],
  };
  const { geo_level: level, treated, controls } = places;
  // What was there and wrong has been refused already, and would be told twice.
  if (!members.isRight) return places;
  if (level !== null && treated.length === 0) members.refuse('treated', 'must name a place of the `geo_level`');
  if (level === null && treated.length > 0) members.refuse('treated', 'needs `geo_level`, the level of the places');
  if (level === null && controls.length > 0) members.refuse('controls', 'is for tests of places, with `geo_level`');
  const both = controls.findIndex((control) => treated.some((one) => isSamePlace(one, control)));
  if (both >= 0) members.refuse(`controls[${both}]`, 'is treated too');
  return places;
}

/** Undefined when one of them was refused. */
function readDates(members: Body): Dates | undefined {
  const from = members.required('test_from', date);
  const to = members.required('test_to', date);
  const given = members.optional('pre_from', date);
  const tail = members.has('tail_days') ? members.optional('tail_days', wholeNumber(0, 60)) : 0;
  if (from === undefined || to === undefined || tail === undefined) return undefined;
  if (given === undefined && members.has('pre_from')) return undefined;
  if (from > to) {
    members.refuse('test_from', `must not be later than \`test_to\`, ${to}`);
    return undefined;
  }
  const days = daysBetween(from, to) + 1;
  if (days < TEST_DAYS.least || days > TEST_DAYS.most)
    members.refuse('test_to', `must make a test of ${TEST_DAYS.least} to ${TEST_DAYS.most} days, not ${days}`);
  const least = Math.max(PRE_DAYS.least, 2 * (days + tail));
  const preFrom = given ?? daysAfter(from, -Math.max(PRE_DAYS.default, least));
  const before = daysBetween(preFrom, from);
  if (members.isRight && (before < least || before > PRE_DAYS.most))
    members.refuse(
      'pre_from',
      `must be ${least} to ${PRE_DAYS.most} days before \`test_from\`: at least ${PRE_DAYS.least}, and twice the test with its tail`,
    );
  return { test_from: from, test_to: to, tail_days: tail, pre_from: preFrom };
}

function spend(value: unknown): LiftRequest['spend'] {
  const given = membersOf(value, ['amount', 'currency']);
  return { amount: memberOf(given, 'amount', decimal), currency: memberOf(given, 'currency', currency) };
}

function currency(value: unknown): string {
  if (typeof value !== 'string' || !CURRENCY.test(value)) throw new MemberFault('must be three letters, such as EUR');
  return value.toUpperCase();
}

/** An exact name, so it is not trimmed; or names of up to 256 characters from country to city with `/` between. */
function place(value: unknown): string {
  if (
    typeof value !== 'string' ||
    value.trim() === '' ||
    !isWholeText(value) ||
    value.split('/').some((part) => isLongerThan(part, 256)) ||
    isLongerThan(value, 3 * 256 + 2)
  )
    throw new MemberFault('must be the name of a place, of 1 to 256 characters');
  return value;
}
