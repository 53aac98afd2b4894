import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { attachment } from '#storage/content-disposition.js';
import { isNamedBy } from '#storage/if-none-match.js';

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

/** Whether the client has the file already. */
export function clientHas(etag: string, { headers }: FastifyRequest): boolean {
  return isNamedBy(headers['if-none-match'], etag);
}

/** The headers of every delivery. With 304 the length is left out. */
export function announceFile(file: DeliveredFile, status: 200 | 304, reply: FastifyReply): void {
  reply
    .code(status)
    .type(file.contentType)
    .headers({
      'Cache-Control': 'private, no-store',
      ETag: file.etag,
      'Repr-Digest': `sha-256=:${file.sha256.toString('base64')}:`,
      'Content-Disposition': attachment(file.name),
      'X-Service-Export-Rows': String(file.rows),
      ...(file.formulasEscaped > 0 ? { 'X-Service-Formulas-Escaped': String(file.formulasEscaped) } : {}),
    });
  if (status === 200) reply.header('Content-Length', String(file.bytes));
}

/** Of a 304, and of HEAD: for no body at all Fastify would say that the file has 0 bytes. */
export function noBody(): Readable {
  return Readable.from([]);
}
