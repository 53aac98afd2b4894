import { assess } from '#apps/integrity/src/detection/assess.js';
import { requestOf, trafficOf } from '../sim/runs.js';
import { seconds, type Figure } from './measure.js';

const EVENTS = 100_000;
const ROUNDS = 5;

/** How long it takes to find invalid traffic among the sessions of 100,000 events, in memory: a hard week, all days of it. */
export async function scoring(): Promise<Figure[]> {
  const { traffic, sessions } = trafficOf({ seed: 1, mix: 'hard', days: 7, people: 2, bots: 2 });
  const request = requestOf(traffic, sessions);
  const values: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const took = await seconds(() => Promise.resolve(assess(request)));
    values.push((took * EVENTS) / traffic.events.length);
  }
  return [{ name: 'scoring of the sessions of 100,000 events', unit: 's', values, goal: 1 }];
}
