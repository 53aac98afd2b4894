import type { FastifyRequest } from 'fastify';
import { invalidParameter } from '#runtime/query.js';

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * The Idempotency-Key of a request, undefined when it has none.
 *
 * @throws AppError `invalid_parameter` for one that is not of its form
 */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined || (typeof key === 'string' && KEY.test(key))) return key;
  throw invalidParameter([
    { name: 'Idempotency-Key', reason: 'must be 1 to 255 printable ASCII characters without spaces, once' },
  ]);
}
