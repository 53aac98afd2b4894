import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CsvFile } from '#csv/write-csv.js';

/** Answers with a small file that is made on the spot, with the headers of every delivery; 304 for the same bytes. */
export async function sendCsv(
  name: string,
  file: CsvFile,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.chunks) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const digest = createHash('sha256').update(bytes).digest();
  const etag = `"${digest.toString('base64url')}"`;
  reply.headers({
    'Cache-Control': 'private, no-store',
    ETag: etag,
    'Repr-Digest': `sha-256=:${digest.toString('base64')}:`,
    'Content-Disposition': `attachment; filename="${name}"`,
    'X-Service-Export-Rows': String(file.rows),
    ...(file.formulasEscaped > 0 ? { 'X-Service-Formulas-Escaped': String(file.formulasEscaped) } : {}),
  });
  if (matches(request.headers['if-none-match'], etag)) {
    reply.code(304);
    return undefined;
  }
  reply.type('text/csv; charset=utf-8').header('Content-Length', bytes.length);
  return bytes;
}

/** Weak comparison, as RFC 9110 asks for `If-None-Match`. */
function matches(header: string | undefined, etag: string): boolean {
  return (
    header !== undefined &&
    header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
  );
}
