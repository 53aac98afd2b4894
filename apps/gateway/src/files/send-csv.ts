import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CsvFile } from '#csv/write-csv.js';
import { announceFile, strongTag } from './delivery.js';

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
  const sha256 = createHash('sha256').update(bytes).digest();
  const { rows, formulasEscaped } = file;
  const contentType = 'text/csv; charset=utf-8';
  const told = { name, contentType, bytes: bytes.length, sha256, etag: strongTag(sha256), rows, formulasEscaped };
  return announceFile(told, request, reply) === 'send' ? bytes : undefined;
}
