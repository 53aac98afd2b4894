import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Bytes that are the same for everybody until the next deployment. */
export interface ConstantAnswer {
  type: string;
  bytes: Buffer;
  etag: string;
}

export function constantAnswer(type: string, content: Buffer | string): ConstantAnswer {
  const bytes = Buffer.from(content);
  return { type, bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

/** Answers with it, or with 304. A browser may keep it, and asks each time whether it is still the same. */
export function sendConstant(
  { type, bytes, etag }: ConstantAnswer,
  request: FastifyRequest,
  reply: FastifyReply,
): Buffer | undefined {
  reply.headers({ ETag: etag, 'Cache-Control': 'no-cache' });
  if (request.headers['if-none-match']?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) === true) {
    reply.code(304);
    return undefined;
  }
  reply.type(type);
  return bytes;
}
