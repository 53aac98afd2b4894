import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { ensureSigningKeyFile } from '#runtime/signing-key-file.js';
import { startPostgres } from '#postgres-server/start-postgres.js';
import { fetchKafka, fetchMinio } from './fetch.js';
import { startKafka } from './kafka.js';
import { minioAccess, startMinio } from './minio.js';
import { freePorts, livePid, prepareWorkplace, stopLeftovers, writePidFile } from './processes.js';

const BUCKET = 'tallyport';

/** One server of the infrastructure. Every method waits for its end; none may run beside another of the same part. */
interface Part {
  /** Again on the same port and data. */
  start(): Promise<void>;
  /** As an operator would. */
  stop(): Promise<void>;
  /** SIGKILL, for tests of faults. */
  kill(): Promise<void>;
}

/** What the services need to find the infrastructure. */
export interface InfrastructureEnv {
  DATABASE_URL: string;
  KAFKA_BROKERS: string;
  S3_ENDPOINT: string;
  S3_ACCESS_KEY: string;
  S3_SECRET_KEY: string;
  S3_BUCKET: string;
  S3_REGION: string;
  INTEGRITY_SIGNING_KEY_FILE: string;
}

export interface Infrastructure {
  env: InfrastructureEnv;
  kafka: Part;
  minio: Part;
  postgres: Part;
  stop(): Promise<void>;
}

export interface InfrastructureOptions {
  /** Holds what is fetched once: Kafka's jars and the MinIO server. */
  home: string;
  /** Holds data, pid files and logs. Default: `home`. Tests take a fresh folder each. */
  dataDir?: string;
  /** Forgets the data of earlier runs. Default: false. */
  fresh?: boolean;
  /** Default: free ones, others at each start. */
  ports?: { kafka?: number; minio?: number; postgres?: number };
  /** Takes what a person may want to read meanwhile. Default: nobody. */
  say?: (line: string) => void;
}

interface Server {
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/**
 * Starts Apache Kafka, MinIO and PostgreSQL side by side on 127.0.0.1, and fetches them before the first time. What a
 * killed run left on the same data is stopped first.
 *
 * @throws Error with a sentence: a tool is missing, another stack runs here, a server does not come up (then the
 *   others are stopped).
 */
export async function startInfrastructure(options: InfrastructureOptions): Promise<Infrastructure> {
  const { home, dataDir = home, ports = {}, say = () => undefined } = options;
  const place = prepareWorkplace(dataDir);
  const ownerFile = join(place.run, 'owner');
  const owner = livePid(ownerFile);
  if (owner !== undefined)
    throw new Error(`A stack is running in ${dataDir} already (process ${owner}): stop that first.`);
  writePidFile(ownerFile, process.pid);
  try {
    const leftovers = await stopLeftovers(place);
    if (leftovers.length > 0) say(`Stopped what an earlier run left: ${leftovers.join(', ')}.`);
    if (options.fresh) {
      rmSync(place.data, { recursive: true, force: true });
      prepareWorkplace(dataDir);
    }
    const [kafkaPort, controllerPort, minioPort, consolePort, postgresPort] = await choosePorts(ports);
    let kafkaLibs = '';
    let minioFolder = '';
    const kafka = part(async () => {
      kafkaLibs ||= await fetchKafka(home, say);
      return startKafka(kafkaLibs, place, [kafkaPort, controllerPort]);
    });
    const minio = part(async () => {
      minioFolder ||= await fetchMinio(home, say);
      return startMinio(minioFolder, place, [minioPort, consolePort], BUCKET);
    });
    let databaseUrl = '';
    const postgres = part(async () => {
      const server = await startPostgres({ dataDir: join(place.data, 'postgres'), port: postgresPort });
      databaseUrl = server.url;
      const kill = async () => {
        process.kill(server.pid, 'SIGKILL');
        await server.exited;
        await server.stop();
      };
      return { stop: () => server.stop(), kill };
    });
    const parts = [kafka, minio, postgres];
    const stop = async () => {
      await Promise.all(parts.map((each) => each.stop()));
      rmSync(ownerFile, { force: true });
    };
    const results = await Promise.allSettled(parts.map((each) => each.start()));
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) {
      await stop();
      throw failure.reason;
    }
    const access = minioAccess(place);
    const signingKey = join(dataDir, 'integrity-signing-key.pem');
    ensureSigningKeyFile(signingKey);
    const env = {
      DATABASE_URL: databaseUrl,
      KAFKA_BROKERS: `127.0.0.1:${kafkaPort}`,
      S3_ENDPOINT: `http://127.0.0.1:${minioPort}`,
      S3_ACCESS_KEY: access.accessKey,
      S3_SECRET_KEY: access.secretKey,
      S3_BUCKET: BUCKET,
      S3_REGION: 'us-east-1',
      INTEGRITY_SIGNING_KEY_FILE: signingKey,
    };
    return { env, kafka, minio, postgres, stop };
  } catch (error) {
    rmSync(ownerFile, { force: true });
    throw error;
  }
}

/** A server that can be started again; stopping one that does not run is no error. */
function part(startServer: () => Promise<Server>): Part {
  let server: Server | undefined;
  const end = async (how: 'stop' | 'kill') => {
    const ending = server;
    server = undefined;
    await ending?.[how]();
  };
  return {
    start: async () => {
      server ??= await startServer();
    },
    stop: () => end('stop'),
    kill: () => end('kill'),
  };
}

async function choosePorts(
  wanted: NonNullable<InfrastructureOptions['ports']>,
): Promise<[number, number, number, number, number]> {
  const [kafka = 0, controller = 0, minio = 0, console = 0, postgres = 0] = await freePorts(5);
  return [wanted.kafka ?? kafka, controller, wanted.minio ?? minio, console, wanted.postgres ?? postgres];
}
