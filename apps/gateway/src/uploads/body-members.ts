import { invalidParameter } from '#runtime/query.js';
import { jsonMembers } from './json-members.js';

/** What is wrong with a value, as the end of a sentence that begins with its name. */
export class MemberFault extends Error {
  /** @param place behind the name of the member, for example `[3].name` */
  constructor(
    reason: string,
    readonly place = '',
  ) {
    super(reason);
    this.name = 'MemberFault';
  }
}

/** Reads a value that is there. @throws MemberFault */
export type ReadValue<T> = (value: unknown) => T;

/** The members of a JSON body, read one by one; what is wrong with them is told at once, in the end. */
export class BodyMembers<Name extends string> {
  private readonly given: Partial<Record<Name, unknown>>;
  private readonly faults: { name: string; reason: string }[] = [];

  /** @throws AppError `invalid_json` · `invalid_parameter` naming each member that is unknown or twice */
  constructor(body: string, names: readonly Name[]) {
    this.given = jsonMembers(body, names);
  }

  /** Null is an absent member. */
  has(name: Name): boolean {
    return this.given[name] !== undefined && this.given[name] !== null;
  }

  /** Undefined also for one that is not right. */
  optional<T>(name: Name, read: ReadValue<T>): T | undefined {
    if (!this.has(name)) return undefined;
    try {
      return read(this.given[name]);
    } catch (fault) {
      if (!(fault instanceof MemberFault)) throw fault;
      this.refuse(`${name}${fault.place}`, fault.message);
      return undefined;
    }
  }

  required<T>(name: Name, read: ReadValue<T>): T | undefined {
    if (!this.has(name)) this.refuse(name, 'is missing');
    return this.optional(name, read);
  }

  refuse(name: string, reason: string): void {
    this.faults.push({ name, reason });
  }

  /** Whether nothing was wrong up to here. */
  get isRight(): boolean {
    return this.faults.length === 0;
  }

  /** @throws AppError `invalid_parameter` naming each member that is wrong */
  check(): void {
    if (!this.isRight) throw invalidParameter(this.faults);
  }
}
