import type { Touch } from './channels.js';
import type { Product } from './catalog.js';
import type { Device } from './devices.js';
import type { Account } from './names.js';
import type { Place } from './places.js';

export interface Person {
  /** With the seed, the keys of this person's random numbers: nobody else has them. */
  keys: readonly number[];
  place: Place;
  /** Milliseconds since 1970. */
  firstSeenMs: number;
}

/** What becomes of a visit. A refund is booked by the shop's own system: nobody visits. */
export type Outcome =
  | { kind: 'bounce' | 'browse' | 'cart' | 'signup' }
  | { kind: 'purchase'; order: readonly Product[] }
  | { kind: 'refund'; order: readonly Product[] };

export interface Login {
  account: Account;
  /** When this device said so for the first time; in an earlier visit, or after so much of this one. */
  atMs: number;
  /** Of the person, on whatever device. */
  identifiedMs: number;
}

export type ConsentAnswer = 'accept' | 'reject' | 'update';

/** A visit as it is planned when a person appears; what happens in it follows from its keys. */
export interface Visit {
  person: Person;
  /** Which of the person's visits, from 0. */
  index: number;
  day: number;
  startMs: number;
  device: Device;
  /** First touch of the device, as its collector keeps it. */
  first: Touch;
  touch: Touch;
  outcome: Outcome;
  login?: Login;
  /** What the banner is told in this visit. */
  consent?: ConsentAnswer;
  /** The device refused to be followed: neither address nor place are collected. */
  anonymous: boolean;
}
