import type { EventClass } from '#messaging/event-class.js';

type Service = 'gateway' | 'import-worker' | 'reporting' | 'integrity' | 'mmm-lift';

/** The members of a class without being one: an example is written as a literal. */
type Plain<T> = T extends (infer Item)[] ? Plain<Item>[] : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;

interface EventText<T extends object = object, Members extends PropertyKey = keyof T> {
  type: EventClass<T>;
  /** Services that publish it, and that read it. */
  from: readonly Service[];
  to: readonly Service[];
  /** What the bucket in the key is a hash of. Absent: the key is the asset. */
  bucketOf?: string;
  /** What each member of the data means, where the name does not say it. */
  descriptions: { [K in Members]?: string };
  example: Plain<T>;
}

export type AnyEvent = EventText<object, string>;

/** The compiler checks the example against the class. */
export function event<T extends object>(text: EventText<T>): AnyEvent {
  return text;
}

export const EXAMPLE_ASSET = '0b9d0c5e-3f52-4a57-9f0a-6c1f6a6f2f11';
