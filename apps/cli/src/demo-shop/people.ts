import { PAID_CHANNELS, UNPAID_CHANNELS, type Touch } from './channels.js';
import { demand, visitorsFrom } from './demand.js';
import { PLACES } from './places.js';
import { Random } from './random.js';
import { touchByAd, unpaidTouch } from './touches.js';

const NEW_PEOPLE = 5;
const PERSON = 6;

/** Somebody who comes to the shop for the first time. */
export interface Newcomer {
  keys: readonly number[];
  random: Random;
  touch: Touch;
  intent: number;
  place: (typeof PLACES)[number];
}

/** The new people of a day: whom each channel's advertising brings, and who comes without any. */
export function* newPeople(seed: number, day: number): Generator<Newcomer> {
  const wanted = demand(seed, day);
  const sources = [
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
  ];
  for (const [source, { mean, intent, touch }] of sources.entries()) {
    const count = new Random(seed, NEW_PEOPLE, source, day).poisson(mean * wanted);
    for (let number = 0; number < count; number++) {
      const keys = [PERSON, source, day, number];
      const random = new Random(seed, ...keys);
      yield { keys, random, touch: touch(random), intent, place: random.weighted(PLACES, ({ weight }) => weight) };
    }
  }
}
