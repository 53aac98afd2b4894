import { isNativeError } from 'node:util/types';

/** A part of the service (database, broker, object store) can't be reached now; trying again later is right. */
export class DependencyAwayError extends Error {}

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * PostgreSQL: connection exceptions, too many connections, shut down by the administrator, crash, starting up; and what
 * passes by itself when tried again: a lock not granted in time, a deadlock, a serialization failure, an idle timeout.
 */
const POSTGRES_STATES = new Set(
  '08000 08001 08003 08004 08006 53300 57P01 57P02 57P03 25P03 40001 40P01 55P03'.split(' '),
);

const MESSAGES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
  'Driver not Connected',
  'Client was closed',
  // TypeORM lets go of a connection that breaks between two statements, and says only this of the next one.
  'Query runner already released',
];

/**
 * The one list of what counts as «a dependency is away», for consumers (hold the partition), job runners (try again)
 * and HTTP (503).
 */
export function isDependencyAway(error: unknown): boolean {
  for (let cause = error, depth = 0; isNativeError(cause) && depth < 5; cause = cause.cause, depth++) {
    if (cause instanceof DependencyAwayError) return true;
    const { code, driverError, errors, message } = cause as Error & {
      code?: unknown;
      driverError?: unknown;
      errors?: unknown;
    };
    if (typeof code === 'string' && (NETWORK_CODES.has(code) || POSTGRES_STATES.has(code))) return true;
    if (MESSAGES.some((text) => message.includes(text))) return true;
    if (cause.name.startsWith('KafkaJS') && (cause as { retriable?: boolean }).retriable === true) return true;
    if (driverError !== undefined && driverError !== cause && isDependencyAway(driverError)) return true;
    if (Array.isArray(errors) && errors.some(isDependencyAway)) return true;
  }
  return false;
}
