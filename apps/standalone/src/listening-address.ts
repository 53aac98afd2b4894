import { createServer, isIPv6, type AddressInfo } from 'node:net';
import { ConfigError } from '#runtime/config.js';

/** What a server that could not listen says, in the words of the settings. */
const REASONS: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (host, port) => `Port ${port} of ${host} is in use: stop what uses it, or choose another one with PORT.`,
  EACCES: (_host, port) => `Port ${port} is not for normal users: choose one from 1024 on with PORT.`,
  EADDRNOTAVAIL: (host) => `HOST=${host} is no address of this machine.`,
  ENOTFOUND: (host) => `HOST=${host} is no address and no name that is known here.`,
};

/**
 * Looks whether a server could listen here, before anything is started that would have to be stopped again.
 *
 * @param port 0 for one that is free
 * @returns the port
 * @throws ConfigError with a sentence that names the setting
 */
export function probePort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        REASONS[error.code ?? '']?.(host, port) ?? `Nothing can listen on ${host}:${port}: ${error.message}.`;
      reject(new ConfigError(reason));
    });
    server.listen(port, host, () => {
      const { port: found } = server.address() as AddressInfo;
      server.close(() => {
        resolve(found);
      });
    });
  });
}

/** The URL for clients on this machine; who listens on every address can be reached on the loopback one. */
export function localUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}
