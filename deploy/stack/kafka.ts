import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { launch, type Running, waitUntilReady, type Workplace } from './processes.js';

/** One node is broker and controller; joining a group costs no pause, topics are only made on purpose. */
function serverProperties(logDir: string, port: number, controllerPort: number): string {
  return [
    'process.roles=broker,controller',
    'node.id=1',
    `listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    `advertised.listeners=PLAINTEXT://127.0.0.1:${port}`,
    'controller.listener.names=CONTROLLER',
    `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
    `log.dirs=${logDir}`,
    'auto.create.topics.enable=false',
    'offsets.topic.replication.factor=1',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    'group.initial.rebalance.delay.ms=0',
    '',
  ].join('\n');
}

const LOGGING = `rootLogger.level = warn
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d %p %c: %m%n
`;

/** Starts a broker on `port`; the data is formatted at the first start. */
export async function startKafka(
  fetched: string,
  place: Workplace,
  [port, controllerPort]: readonly [number, number],
): Promise<Running> {
  const folder = join(place.data, 'kafka');
  mkdirSync(folder, { recursive: true });
  const properties = join(folder, 'server.properties');
  const logging = join(folder, 'log4j2.properties');
  writeFileSync(properties, serverProperties(join(folder, 'log'), port, controllerPort));
  writeFileSync(logging, LOGGING);
  const java = [`-Dlog4j2.configurationFile=${logging}`, '-cp', join(fetched, 'libs', '*')];
  if (!existsSync(join(folder, 'log', 'meta.properties'))) {
    const clusterId = Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url');
    await promisify(execFile)('java', [
      ...java,
      'kafka.tools.StorageTool',
      'format',
      // As one argument: an id may begin with a hyphen.
      `--cluster-id=${clusterId}`,
      '-c',
      properties,
    ]);
  }
  const args = ['-Xms128m', '-Xmx512m', ...java, 'kafka.Kafka', properties];
  const running = launch({ name: 'kafka', command: 'java', args }, place);
  await waitUntilReady('Kafka', running, () => listsItself(port)).catch(async (error: unknown) => {
    await running.kill();
    throw error;
  });
  return running;
}

/** Whether the broker answers a Metadata request (version 4, no topics) with itself in the list of brokers. */
function listsItself(port: number): Promise<boolean> {
  const request = Buffer.from([0, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0, 1, 0xff, 0xff, 0, 0, 0, 0, 0]);
  request.writeInt32BE(request.length - 4, 0);
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    // Size, correlation id, throttle time, then the number of brokers: four bytes each.
    socket.once('data', (answer) => {
      finish(answer.length >= 16 && answer.readInt32BE(12) === 1);
    });
    socket.once('error', () => {
      finish(false);
    });
    socket.setTimeout(2000, () => {
      finish(false);
    });
  });
}
