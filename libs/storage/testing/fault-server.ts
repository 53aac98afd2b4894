import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Operation = 'start' | 'part' | 'complete' | 'abort' | 'put' | 'stat' | 'get' | 'bucket' | 'other';
type Answer = (request: IncomingMessage, response: ServerResponse, attempt: number) => void;

/** An S3 server that does as told: well-behaved where `answers` says nothing. No objects are kept. */
export async function faultServer(answers: Partial<Record<Operation, Answer>> = {}) {
  const seen: { operation: Operation; url: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    const operation = operationOf(request);
    const attempt = seen.push({ operation, url: request.url ?? '', headers: request.headers });
    const answer = answers[operation];
    if (answer !== undefined) answer(request, response, countOf(operation, attempt));
    else wellBehaved(operation, request, response);
  });
  const countOf = (operation: Operation, upTo: number): number =>
    seen.slice(0, upTo).filter((one) => one.operation === operation).length;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    operations: () => seen.map(({ operation }) => operation),
    count: (operation: Operation) => countOf(operation, seen.length),
    end: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function wellBehaved(operation: Operation, request: IncomingMessage, response: ServerResponse): void {
  request.resume().on('end', () => {
    if (operation === 'start')
      response.end('<InitiateMultipartUploadResult><UploadId>upload-1</UploadId></InitiateMultipartUploadResult>');
    else if (operation === 'complete')
      response.end(
        '<CompleteMultipartUploadResult><Location>l</Location><Bucket>b</Bucket><Key>k</Key><ETag>"e"</ETag></CompleteMultipartUploadResult>',
      );
    else if (operation === 'abort') response.writeHead(204).end();
    else response.writeHead(200, { etag: '"e"' }).end();
  });
}

/** Reads the request, then refuses it. */
export function refusing(status: number, code: string): Answer {
  return (request, response) => {
    request
      .resume()
      .on('end', () =>
        response
          .writeHead(status, { 'content-type': 'application/xml' })
          .end(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`),
      );
  };
}

/** Takes the request and never answers. */
export const silent: Answer = (request) => void request.resume();

/** Reads a little and cuts the connection. */
export const dying: Answer = (request) => void request.once('data', () => request.socket.destroy());

function operationOf({ method, url = '' }: IncomingMessage): Operation {
  const { pathname, searchParams } = new URL(url, 'http://store');
  const isObject = pathname.split('/').length > 2 && pathname.split('/')[2] !== '';
  if (method === 'POST') return searchParams.has('uploads') ? 'start' : 'complete';
  if (method === 'PUT' && isObject) return searchParams.has('partNumber') ? 'part' : 'put';
  if (method === 'DELETE' && searchParams.has('uploadId')) return 'abort';
  if (method === 'HEAD') return isObject ? 'stat' : 'bucket';
  return method === 'GET' && isObject ? 'get' : 'other';
}
