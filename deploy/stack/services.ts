import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { projectRoot } from './fetch.js';
import { answersOk } from './minio.js';
import { freePorts, lastLines, launch, type Running, type Workplace } from './processes.js';

interface ServiceRow {
  /** The folder below apps/. */
  name: string;
  /** Undefined: a free one; only health and metrics answer there. */
  port?: number;
  /** Options of Node itself. */
  nodeFlags?: readonly string[];
}

/** Rows live briefly: without a limit V8 keeps their garbage, 310 MB for a 62 MB file instead of 160 MB. */
const WORKER_FLAGS = ['--max-semi-space-size=2', '--max-old-space-size=160'];

const GATEWAY_PORT = Number(process.env.PORT ?? 8080);

/** Every service of the stack, in the order of starting. */
export const SERVICES: readonly ServiceRow[] = [
  { name: 'gateway', port: GATEWAY_PORT },
  { name: 'import-worker', nodeFlags: WORKER_FLAGS },
  { name: 'reporting' },
  { name: 'integrity' },
  { name: 'mmm-lift' },
];

/** The gateway as clients see it. */
export const BASE_URL = `http://127.0.0.1:${GATEWAY_PORT}`;

const READY_MS = 60_000;
const BACKOFF_MS = { first: 500, longest: 10_000 };
/** A service that ran this long has started well: its next crash is a new story. */
const STABLE_MS = 30_000;

export interface Service {
  name: string;
  url: string;
  stop(): Promise<void>;
}

/** @throws Error when the project has not been built. */
export function builtApp(name: string): string {
  const main = join(projectRoot(), 'dist', 'apps', name, 'src', 'main.js');
  if (!existsSync(main)) throw new Error(`${main} is missing: run npm run build.`);
  return main;
}

/** The arguments of node that start a service. */
export function serviceArguments(name: string): string[] {
  return [...(SERVICES.find((service) => service.name === name)?.nodeFlags ?? []), builtApp(name)];
}

/**
 * Starts all services side by side and waits until each is ready. One that ends by itself is started again.
 *
 * @throws Error with the end of the service's log when it is not ready in 60 s; the others are stopped.
 */
export async function startServices(
  env: NodeJS.ProcessEnv,
  place: Workplace,
  say: (line: string) => void,
): Promise<Service[]> {
  const spare = await freePorts(SERVICES.length);
  const services = SERVICES.map(({ name, port }, index) => {
    const ownPort = port ?? spare[index] ?? 0;
    return keepRunning(name, { ...env, BASE_URL, PORT: String(ownPort) }, `http://127.0.0.1:${ownPort}`, place, say);
  });
  try {
    await Promise.all(services.map((service) => service.ready));
    return services;
  } catch (error) {
    await Promise.all(services.map((service) => service.stop()));
    throw error;
  }
}

function keepRunning(
  name: string,
  env: NodeJS.ProcessEnv,
  url: string,
  place: Workplace,
  say: (line: string) => void,
): Service & { ready: Promise<void> } {
  const start = () => launch({ name, command: process.execPath, args: serviceArguments(name), env }, place);
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;
  let running: Running = start();
  const supervise = async () => {
    for (let backoff = BACKOFF_MS.first; ; backoff = Math.min(backoff * 2, BACKOFF_MS.longest)) {
      const begin = Date.now();
      await running.exited;
      if (isStopping()) return;
      if (Date.now() - begin > STABLE_MS) backoff = BACKOFF_MS.first;
      say(`${name} ended by itself and starts again in ${backoff} ms, see ${running.logFile}.`);
      await sleep(backoff, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (isStopping()) return;
      running = start();
    }
  };
  const supervised = supervise();
  const waitUntilReady = async () => {
    for (const end = Date.now() + READY_MS; Date.now() < end && !isStopping();) {
      if ((await answersOk(`${url}/health/ready`)) && !running.hasExited()) return;
      await sleep(100);
    }
    throw new Error(`${name} did not become ready. The end of ${running.logFile}:\n${lastLines(running.logFile)}`);
  };
  const stop = async () => {
    stopping.abort();
    await running.stop(30_000);
    await supervised;
  };
  return { name, url, ready: waitUntilReady(), stop };
}
