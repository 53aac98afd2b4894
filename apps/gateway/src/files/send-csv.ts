import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CsvFile } from '#csv/write-csv.js';
import { announceFile, clientHas, noBody, strongTag } from './delivery.js';

/** Answers with a small file that is made on the spot, with the headers of every delivery; 304 for the same bytes. */
export async function sendCsv(
  name: string,
  file: CsvFile,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Buffer | Readable> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.chunks) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const sha256 = createHash('sha256').update(bytes).digest();
  const { rows, formulasEscaped } = file;
  const etag = strongTag(sha256);
  const isKnown = clientHas(etag, request);
  const told = {
    name,
    contentType: 'text/csv; charset=utf-8',
    bytes: bytes.length,
    sha256,
    etag,
    rows,
    formulasEscaped,
  };
  announceFile(told, isKnown ? 304 : 200, reply);
  return isKnown ? noBody() : bytes;
}
