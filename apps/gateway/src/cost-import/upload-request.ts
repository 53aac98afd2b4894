import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidParameter } from '#runtime/query.js';
import type { Member } from '../access/access.decorators.js';
import type { Upload } from './cost-import.service.js';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The request as the import service takes it; its body is not read yet. */
export function uploadOf(request: FastifyRequest, reply: FastifyReply, member: Member): Upload {
  const key = request.headers['idempotency-key'];
  if (key !== undefined && (typeof key !== 'string' || !KEY.test(key))) {
    throw invalidParameter([
      { name: 'Idempotency-Key', reason: 'must be 1 to 255 printable ASCII characters without spaces, once' },
    ]);
  }
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return { request: request.raw, member, idempotencyKey: key, receivedAt: new Date(), clientGone: gone.signal };
}
