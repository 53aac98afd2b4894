#!/usr/bin/env node
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';

import { projectRoot } from './fetch.js';
import { ensureCredentials, tallyport } from './first-start.js';
import { type Infrastructure, startInfrastructure } from './infrastructure.js';
import { prepareWorkplace, requireFree } from './processes.js';
import { BASE_URL, builtApp, type Service, SERVICES, startServices } from './services.js';

interface Options {
  services: boolean;
  fresh?: true;
}

const home = resolve(process.env.TALLYPORT_STACK_HOME ?? join(projectRoot(), '.stack'));
const CREDENTIALS = 'credentials.json';
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    ending.abort();
  });
}

await new Command('stack')
  .description(`Kafka, MinIO and PostgreSQL on 127.0.0.1 with all services, until Ctrl-C. State: ${home}`)
  .option('--no-services', 'only the infrastructure; prints what the services need as export lines')
  .option('--fresh', 'forget all data of earlier runs first')
  .action(main)
  .parseAsync();

async function main(options: Options): Promise<void> {
  let infrastructure: Infrastructure | undefined;
  let services: Service[] = [];
  try {
    if (options.services) await requireServices();
    infrastructure = await startInfrastructure({ home, fresh: options.fresh ?? false, say });
    if (options.fresh) rmSync(join(home, CREDENTIALS), { force: true });
    if (!options.services) printExports(infrastructure);
    else if (!ending.signal.aborted) services = await startAll(infrastructure);
    await signalled();
    say('Stopping …');
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
  await Promise.all(services.map((service) => service.stop()));
  await infrastructure?.stop();
}

/** What would stop the services later stops us before anything is fetched or started. */
async function requireServices(): Promise<void> {
  for (const name of ['cli', ...SERVICES.map((service) => service.name)]) builtApp(name);
  for (const { port } of SERVICES) if (port !== undefined) await requireFree(port, 'PORT');
}

async function startAll({ env }: Infrastructure): Promise<Service[]> {
  await tallyport(['migrate'], { ...env });
  await tallyport(['topics', 'ensure'], { ...env });
  const services = await startServices({ ...env }, prepareWorkplace(home), say);
  const file = join(home, CREDENTIALS);
  const { base_url, token } = await ensureCredentials(file, BASE_URL, { ...env });
  say(`Ready. The credentials are in ${file}. Upload a file of costs with:`);
  say(
    `curl -H 'Authorization: Bearer ${token}' -H 'Content-Type: text/csv' --data-binary @costs.csv ${base_url}/api/v1/cost-import`,
  );
  return services;
}

function printExports({ env }: Infrastructure): void {
  for (const [name, value] of Object.entries(env)) process.stdout.write(`export ${name}='${value}'\n`);
}

/** What a person reads goes to stderr: stdout holds only the export lines. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function signalled(): Promise<void> {
  if (ending.signal.aborted) return;
  // A listener does not keep the process running; the timer does.
  const timer = setInterval(() => undefined, 60_000);
  await new Promise((resolveSignal) => {
    ending.signal.addEventListener('abort', resolveSignal, { once: true });
  });
  clearInterval(timer);
}
