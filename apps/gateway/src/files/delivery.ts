import type { FastifyReply, FastifyRequest } from 'fastify';
import { attachment } from '#storage/content-disposition.js';

/** A file as it goes out, whether it was made on the spot or lies in the object storage. */
export interface DeliveredFile {
  name: string;
  contentType: string;
  bytes: number;
  sha256: Buffer;
  /** With its quotes; `W/` when two makings of the same content are not the same bytes. */
  etag: string;
  rows: number;
  formulasEscaped: number;
}

/** The ETag of a file whose content alone decides about its bytes. */
export function strongTag(sha256: Buffer): string {
  return `"${sha256.toString('base64url')}"`;
}

/**
 * The headers of every delivery. A 304 gets those that say which file it is about, and no body is to follow.
 *
 * @returns whether the client has the file already
 */
export function announceFile(file: DeliveredFile, request: FastifyRequest, reply: FastifyReply): 'send' | 'unchanged' {
  reply.headers({
    'Cache-Control': 'private, no-store',
    ETag: file.etag,
    'Repr-Digest': `sha-256=:${file.sha256.toString('base64')}:`,
    'Content-Disposition': attachment(file.name),
    'X-Service-Export-Rows': String(file.rows),
    ...(file.formulasEscaped > 0 ? { 'X-Service-Formulas-Escaped': String(file.formulasEscaped) } : {}),
  });
  if (matches(request.headers['if-none-match'], file.etag)) {
    reply.code(304);
    return 'unchanged';
  }
  reply.type(file.contentType).header('Content-Length', String(file.bytes));
  return 'send';
}

/** Weak comparison, as RFC 9110 asks for `If-None-Match`. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = etag.replace(/^W\//, '');
  return [...header.matchAll(/"[^"]*"/g)].some(([tag]) => tag === opaque);
}
