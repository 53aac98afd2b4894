import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { sendProblem } from './problem.filter.js';

/** The lines that a request is logged with whose body is read and then fails. */
async function logged(
  post: (port: number) => void,
  read: (raw: IncomingMessage) => Promise<unknown>,
): Promise<string[]> {
  const lines: string[] = [];
  const log = {
    error: (_details: object, text: string) => lines.push(`error: ${text}`),
    debug: (_details: object, text: string) => lines.push(`debug: ${text}`),
  };
  let answered = (): void => undefined;
  const done = new Promise<void>((resolve) => (answered = resolve));
  const server = createServer((raw, response) => {
    void read(raw).catch((error: unknown) => {
      const request = { raw, id: '1', method: 'POST', url: '/a?b' } as unknown as FastifyRequest;
      const reply = { sent: true, raw: response } as unknown as FastifyReply;
      sendProblem(error, request, reply, log as unknown as Logger);
      answered();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  post((server.address() as AddressInfo).port);
  await done;
  server.closeAllConnections();
  server.close();
  return lines;
}

function posted(port: number, length: number): ReturnType<typeof httpRequest> {
  const request = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers: { 'Content-Length': length } });
  request.on('error', () => undefined);
  request.write('half');
  return request;
}

it('a client that hangs up in the middle of its body is no error in the log', async () => {
  const hangUp = (port: number): void => {
    const request = posted(port, 8);
    setTimeout(() => request.destroy(), 50);
  };
  expect(await logged(hangUp, buffer)).toEqual(['debug: client hung up']);
});

it('a failure of ours is one, while the body comes and when it is here', async () => {
  const failed = (): Promise<unknown> => Promise.reject(new Error('unforeseen'));
  expect(await logged((port) => void posted(port, 8), failed)).toEqual(['error: request failed']);
  const afterBody = async (raw: IncomingMessage): Promise<unknown> => {
    await buffer(raw);
    return failed();
  };
  expect(await logged((port) => posted(port, 4).end(), afterBody)).toEqual(['error: request failed']);
});
