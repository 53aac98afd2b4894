import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Member } from '../access/access.decorators.js';
import { idempotencyKeyOf } from '../idempotency/idempotency-key.js';
import type { Upload } from './cost-import.service.js';

/** The request as the import service takes it; its body is not read yet. */
export function uploadOf(request: FastifyRequest, reply: FastifyReply, member: Member): Upload {
  const idempotencyKey = idempotencyKeyOf(request);
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return { request: request.raw, member, idempotencyKey, receivedAt: new Date(), clientGone: gone.signal };
}
