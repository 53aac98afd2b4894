import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client as MinioClient } from 'minio';
import pg from 'pg';

import { projectRoot } from '#deploy/stack/fetch.js';
import { type Infrastructure, startInfrastructure } from '#deploy/stack/infrastructure.js';

const home = process.env.TALLYPORT_STACK_HOME ?? join(projectRoot(), '.stack');
const FETCH_MS = 600_000;

describe('the infrastructure on real parts', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tallyport-stack-'));
  const topic = `smoke-${randomUUID()}`;
  let infrastructure: Infrastructure;
  let kafka: Kafka;
  let minio: MinioClient;

  beforeAll(async () => {
    infrastructure = await startInfrastructure({
      home,
      dataDir,
      say: (line) => {
        process.stderr.write(`${line}\n`);
      },
    });
    const { env } = infrastructure;
    kafka = new Kafka({ brokers: [env.KAFKA_BROKERS], logLevel: logLevel.NOTHING });
    const { hostname, port } = new URL(env.S3_ENDPOINT);
    minio = new MinioClient({
      endPoint: hostname,
      port: Number(port),
      useSSL: false,
      accessKey: env.S3_ACCESS_KEY,
      secretKey: env.S3_SECRET_KEY,
      region: env.S3_REGION,
    });
  }, FETCH_MS);

  afterAll(async () => {
    await infrastructure.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function produce(value: string): Promise<void> {
    const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    await producer.send({ topic, messages: [{ value }] });
    await producer.disconnect();
  }

  async function consume(count: number): Promise<string[]> {
    const consumer = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 200 });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    const values: string[] = [];
    await new Promise<void>((resolve, reject) => {
      consumer
        .run({
          eachMessage: ({ message }) => {
            values.push(String(message.value));
            if (values.length === count) resolve();
            return Promise.resolve();
          },
        })
        .catch(reject);
    });
    await consumer.disconnect();
    return values;
  }

  async function select(sql: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: infrastructure.env.DATABASE_URL });
    await client.connect();
    try {
      return (await client.query<{ value: unknown }>(sql)).rows.map(({ value }) => value);
    } finally {
      await client.end();
    }
  }

  it('takes a message, an object and a row', async () => {
    const admin = kafka.admin();
    await admin.connect();
    await expect(produce('no topic is made by accident')).rejects.toThrow();
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
    await admin.disconnect();
    await produce('first');
    expect(await consume(1)).toEqual(['first']);
    await minio.putObject(infrastructure.env.S3_BUCKET, 'a/b', 'content');
    expect(await text(await minio.getObject(infrastructure.env.S3_BUCKET, 'a/b'))).toBe('content');
    await select('CREATE TABLE kept AS SELECT 7 AS value');
  });

  it.each(['stop', 'kill'] as const)(
    'has everything again on the same ports after %s and start of each part',
    async (how) => {
      for (const part of [infrastructure.kafka, infrastructure.minio, infrastructure.postgres]) {
        await part[how]();
        await part.start();
      }
      await produce(how);
      expect((await consume(how === 'stop' ? 2 : 3)).at(-1)).toBe(how);
      expect(await text(await minio.getObject(infrastructure.env.S3_BUCKET, 'a/b'))).toBe('content');
      expect(await select('SELECT value FROM kept')).toEqual([7]);
    },
    120_000,
  );

  it('refuses a second stack on the same data', async () => {
    await expect(startInfrastructure({ home, dataDir })).rejects.toThrow('A stack is running in');
    expect(await select('SELECT value FROM kept')).toEqual([7]);
  });
});
