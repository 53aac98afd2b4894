import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import type { Envelope } from '#contracts/envelope.js';
import { InvalidMessageError } from '../errors.js';
import type { EventClass } from '../event-class.js';

/** Reads the CloudEvents envelope of a message. @throws InvalidMessageError */
export function parseEnvelope(topic: string, value: Buffer | null): Envelope {
  if (value === null || value.length === 0) throw new InvalidMessageError('the message has no value');
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value));
  } catch (error) {
    throw new InvalidMessageError('the message is not JSON in UTF-8', { cause: error });
  }
  if (!isRecord(parsed)) throw new InvalidMessageError('the message is no JSON object');
  const { specversion, id, type, data } = parsed;
  if (specversion !== '1.0') throw new InvalidMessageError('specversion is not 1.0');
  if (typeof id !== 'string' || id === '') throw new InvalidMessageError('the envelope has no id');
  if (type !== topic) throw new InvalidMessageError(`type is not ${topic}`);
  if (!isRecord(data)) throw new InvalidMessageError('data is no object');
  return parsed as unknown as Envelope;
}

/**
 * The data of an envelope as a checked instance. Members that the class does not know are dropped: a newer publisher
 * may send them.
 *
 * @throws InvalidMessageError naming each member that breaks a rule
 */
export function validateData<T extends object>(event: EventClass<T>, data: unknown): T {
  return validated(plainToInstance(event, data));
}

/**
 * As validateData, but what the members hold stays as it came: a list of hundreds of records is not copied, which would
 * take three times as long as parsing it. The class can't have members of other classes.
 *
 * @throws InvalidMessageError naming each member that breaks a rule
 */
export function validateMembers<T extends object>(event: EventClass<T>, data: object): T {
  // class-validator would take these two for those of the instance.
  const { ['__proto__']: _, constructor: __, ...members } = data as Record<string, unknown>;
  return validated(Object.assign(new event(), members));
}

function validated<T extends object>(instance: T): T {
  const failures = validateSync(instance, { whitelist: true, forbidUnknownValues: true });
  if (failures.length > 0) throw new InvalidMessageError(failures.flatMap(reasons).join('; '));
  return instance;
}

function reasons({ property, constraints, children }: ValidationError): string[] {
  const nested = (children ?? []).flatMap(reasons).map((reason) => `${property}.${reason}`);
  return [...Object.values(constraints ?? {}), ...nested];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
