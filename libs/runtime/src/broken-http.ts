import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import { v7 as uuidv7 } from 'uuid';
import { problemOf, type Problem } from '#contracts/errors.js';

/** What is no HTTP request gets an answer of the usual shape all the same; there is no path to name. */
export function answerBrokenHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, problem] = problemFor(error.code);
  const body = JSON.stringify({ ...problem, status, request_id: uuidv7() });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: application/problem+json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
  );
}

function problemFor(code: string | undefined): [number, Problem] {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, problemOf('request_timeout', 'The request came too slowly.')];
  if (code === 'HPE_HEADER_OVERFLOW')
    return [431, problemOf('invalid_parameter', 'The request headers are too large.')];
  return [400, problemOf('invalid_parameter', 'This is not a valid HTTP request.')];
}
