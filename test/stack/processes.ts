import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { v4 as uuidv4 } from 'uuid';
import { run } from '#apps/cli/src/run.js';
import { AccessAdmin } from '#apps/gateway/src/access/access-admin.js';
import type { CostImportCompleted } from '#contracts/events/cost-import-completed.js';
import type { Envelope } from '#contracts/envelope.js';
import { PERMISSIONS } from '#contracts/permissions.js';
import type { Topic } from '#contracts/topics.js';
import type { InfrastructureEnv } from '#deploy/stack/infrastructure.js';
import { answersOk } from '#deploy/stack/minio.js';
import { freePorts } from '#deploy/stack/processes.js';
import { builtApp } from '#deploy/stack/services.js';
import { MessagingConfig } from '#messaging/messaging.config.js';
import { loadConfig } from '#runtime/config.js';
import { OnKafka } from '../../libs/messaging/testing/on-kafka.js';
import type { TestAsset } from '../support/service.js';

type ServiceName = 'gateway' | 'import-worker' | 'reporting' | 'integrity' | 'mmm-lift';

/** Leases that run out fast, and no limit in the way of a test. */
const SETTINGS: Record<string, string> = {
  JOB_LEASE_MS: '3000',
  JOB_LEASE_RENEWAL_MS: '1000',
  RATE_LIMIT_IMPORTS_PER_MINUTE: '100000',
  RATE_LIMIT_EXPORTS_PER_MINUTE: '100000',
  LOG_LEVEL: 'info',
};

const END_LIMIT_MS = 5_000;

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** One service of ours as a process of its own. */
export class ServiceProcess {
  private readonly exited: Promise<Exit>;

  constructor(
    readonly name: ServiceName,
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly logFile: string,
  ) {
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        resolve({ code, signal });
      });
    });
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error(`${this.name} did not start`);
    return this.child.pid;
  }

  get log(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  get runs(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** SIGTERM. */
  terminate(): Promise<Exit> {
    this.child.kill('SIGTERM');
    return this.exited;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /** SIGTERM, so that Kafka need not wait for it, and SIGKILL when that takes long. */
  async end(): Promise<void> {
    this.thaw();
    const late = setTimeout(() => this.child.kill('SIGKILL'), END_LIMIT_MS);
    await this.terminate();
    clearTimeout(late);
  }

  /** A value of its metrics; NaN: not there. @param name with its labels, as it stands in the answer */
  async metric(name: string): Promise<number> {
    const metrics = await (await fetch(`${this.url}/metrics`)).text();
    const line = metrics.split('\n').find((text) => text.startsWith(`${name} `));
    return Number(line?.slice(name.length) ?? NaN);
  }

  /** Stops its clock: connections stay open and nothing is done. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  /** @throws Error with the end of the log when it is not ready in time */
  async untilReady(limitMs = 60_000): Promise<this> {
    for (const end = Date.now() + limitMs; Date.now() < end && this.runs;) {
      if (await answersOk(`${this.url}/health/ready`)) return this;
      await sleep(50);
    }
    throw new Error(`${this.name} is not ready. The end of its log:\n${this.log.split('\n').slice(-15).join('\n')}`);
  }
}

/** The services of one spec as processes: a database of their own on the servers given, migrated, topics made. */
export class Services {
  private readonly started: ServiceProcess[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'tallyport-services-'));
  private readonly kafka: OnKafka;

  private constructor(
    readonly env: Record<string, string>,
    readonly dataSource: DataSource,
  ) {
    this.kafka = new OnKafka(loadConfig(MessagingConfig, env));
  }

  static async on(infrastructure: InfrastructureEnv): Promise<Services> {
    const url = new URL(infrastructure.DATABASE_URL);
    url.pathname = `/services_${uuidv4().replaceAll('-', '')}`;
    const server = new pg.Client({ connectionString: infrastructure.DATABASE_URL });
    await server.connect();
    await server.query(`CREATE DATABASE ${url.pathname.slice(1)}`);
    await server.end();
    const env = { ...infrastructure, DATABASE_URL: url.href };
    for (const words of [['migrate'], ['topics', 'ensure']]) {
      const { code, stderr } = await run(words, env);
      if (code !== 0) throw new Error(stderr);
    }
    const dataSource = new DataSource({ type: 'postgres', url: url.href, poolErrorHandler: () => undefined });
    await dataSource.initialize();
    return new Services(env, dataSource);
  }

  /** Starts a process; `untilReady()` waits for it. The port may be given to come back at the same address. */
  async start(name: ServiceName, settings: Record<string, string> = {}): Promise<ServiceProcess> {
    const port = settings['PORT'] ?? String((await freePorts(1))[0]);
    const logFile = join(this.folder, `${name}-${this.started.length}.log`);
    const log = openSync(logFile, 'a');
    const child = spawn(process.execPath, [builtApp(name)], {
      stdio: ['ignore', log, log],
      env: {
        PATH: process.env['PATH'],
        ...this.env,
        ...SETTINGS,
        SPOOL_DIRECTORY: join(this.folder, 'spool', port),
        ...settings,
        PORT: port,
      },
    });
    closeSync(log);
    const service = new ServiceProcess(name, `http://127.0.0.1:${port}`, child, logFile);
    this.started.push(service);
    return service;
  }

  /** An asset with a token that may do everything. */
  async newAsset({ name = 'Test Shop', timezone = 'UTC' } = {}): Promise<TestAsset> {
    const admin = new AccessAdmin(this.dataSource);
    const { asset_id: assetId } = await admin.createAsset(name, timezone, 'USD');
    const principal = `member of ${assetId}`;
    await admin.addMember(assetId, principal, PERMISSIONS);
    return { assetId, token: (await admin.createToken(principal)).token };
  }

  /** All events of the asset on the topic, in the order of their ids. */
  async events<T = CostImportCompleted>(topic: Topic, { assetId }: TestAsset): Promise<T[]> {
    return (await this.allEvents<T>(topic)).filter(({ subject }) => subject === assetId).map(({ data }) => data);
  }

  /** The events of all assets, without what nobody can read. */
  async allEvents<T = CostImportCompleted>(topic: Topic): Promise<Envelope<T>[]> {
    return (await this.kafka.contents(topic))
      .map(({ value }) => parsed<T>(value))
      .filter((event) => event !== undefined)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Kafka as a test talks to it. */
  get broker(): OnKafka {
    return this.kafka;
  }

  /** Ends what still runs. */
  async stop(): Promise<void> {
    await Promise.all(this.started.filter(({ runs }) => runs).map((service) => service.end()));
    await this.dataSource.destroy().catch(() => undefined);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function parsed<T>(value: Buffer | null): Envelope<T> | undefined {
  try {
    return JSON.parse(String(value)) as Envelope<T>;
  } catch {
    return undefined; // a poisoned message of another test
  }
}
