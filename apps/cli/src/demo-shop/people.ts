import { PAID_CHANNELS, UNPAID_CHANNELS, type Touch } from './channels.js';
import { demand, visitorsFrom } from './demand.js';
import { EXPERIMENT, experimentVisitors } from './experiment.js';
import { PLACES, type Place } from './places.js';
import { Random } from './random.js';
import { clickOn, touchByAd, unpaidTouch } from './touches.js';

const NEW_PEOPLE = 5;
const PERSON = 6;

/** Somebody who comes to the shop for the first time. */
export interface Newcomer {
  keys: readonly number[];
  random: Random;
  touch: Touch;
  intent: number;
  place: Place;
}

/** Where new people come from, on average so many on a usual day. */
interface Source {
  mean: number;
  intent: number;
  touch: (random: Random) => Touch;
  /** Default: all. */
  places?: readonly Place[];
}

/** The new people of a day: whom each channel's advertising brings, and who comes without any. */
export function* newPeople(seed: number, day: number): Generator<Newcomer> {
  const wanted = demand(seed, day);
  const sources: Source[] = [
    ...PAID_CHANNELS.map((channel) => ({
      mean: visitorsFrom(seed, channel, day),
      intent: channel.intent,
      touch: (random: Random) => touchByAd(random, channel, day),
    })),
    ...UNPAID_CHANNELS.map((channel) => ({
      mean: channel.visitors,
      intent: channel.intent,
      touch: (random: Random) => unpaidTouch(random, channel, day),
    })),
    {
      mean: experimentVisitors(day),
      intent: EXPERIMENT.channel.intent,
      touch: (random: Random) => clickOn(random, EXPERIMENT.channel, EXPERIMENT.campaign),
      places: EXPERIMENT.places,
    },
  ];
  for (const [source, { mean, intent, touch, places = PLACES }] of sources.entries()) {
    const count = new Random(seed, NEW_PEOPLE, source, day).poisson(mean * wanted);
    for (let number = 0; number < count; number++) {
      const keys = [PERSON, source, day, number];
      const random = new Random(seed, ...keys);
      yield { keys, random, touch: touch(random), intent, place: random.weighted(places, ({ weight }) => weight) };
    }
  }
}

/** The channel whose advertising brought a person for the first time; undefined: none did. */
export function broughtBy({ keys: [, source = 0] }: Pick<Newcomer, 'keys'>): string | undefined {
  const experiment = PAID_CHANNELS.length + UNPAID_CHANNELS.length;
  return source === experiment ? EXPERIMENT.channel.channel : PAID_CHANNELS[source]?.channel;
}
