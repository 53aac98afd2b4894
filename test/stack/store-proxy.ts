import { createServer, request as forward, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** A request to the object storage that the test holds back. */
interface HeldRequest {
  /** Resolves when it has come; its body is neither read nor passed on. */
  reached: Promise<void>;
  /** Passes it on. */
  release(): void;
}

export interface StoreProxy {
  endpoint: string;
  /** Holds back the next request of this kind, and only that. */
  hold(isMeant: (request: IncomingMessage) => boolean): HeldRequest;
  stop(): Promise<void>;
}

/** Stands between a service and the object storage; whatever it does not hold it passes on unchanged. */
export async function storeProxy(target: string): Promise<StoreProxy> {
  let next: ((request: IncomingMessage) => Promise<void> | undefined) | undefined;
  const server = createServer((incoming, response) => {
    const held = next?.(incoming);
    void (async () => {
      await held;
      const outgoing = forward(new URL(incoming.url ?? '', target), {
        method: incoming.method ?? 'GET',
        headers: incoming.headers,
      });
      outgoing.on('error', () => response.destroy());
      outgoing.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        pipeline(answer, response).catch(() => response.destroy());
      });
      await pipeline(incoming, outgoing).catch(() => response.destroy());
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold(isMeant) {
      let reach: () => void = () => undefined;
      let release: () => void = () => undefined;
      const reached = new Promise<void>((resolve) => (reach = resolve));
      const released = new Promise<void>((resolve) => (release = resolve));
      next = (request) => {
        if (!isMeant(request)) return undefined;
        next = undefined;
        reach();
        return released;
      };
      return { reached, release };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
