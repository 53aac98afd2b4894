/** A class of libs/contracts/events: the data of one event, with the topic it travels on. */
export interface EventClass<T extends object = object> {
  new (): T;
  readonly topic: string;
}
