import type { Command } from 'commander';
import type { DeadLetters } from '#messaging/dead-letters.js';
import { InProcessDeadLetters } from '#messaging/in-process/in-process-dead-letters.js';
import { KafkaBus } from '#messaging/kafka/kafka.bus.js';
import { KafkaClients } from '#messaging/kafka/kafka-clients.js';
import { KafkaDeadLetters } from '#messaging/kafka/kafka-dead-letters.js';
import { MessagingConfig } from '#messaging/messaging.config.js';
import { loadConfig } from '#runtime/config.js';
import type { Session } from './session.js';
import { table } from './table.js';
import { count } from './values.js';
import { withDatabase } from './with-database.js';
import { withKafka } from './with-kafka.js';

const DEFAULT_LIMIT = 50;

export function addDlqCommands(tallyport: Command, session: Session): void {
  const group = tallyport
    .command('dlq')
    .description(
      'dead letters: messages that a consumer gave up; on Kafka when KAFKA_BROKERS is set, else in the database',
    );

  session
    .command(group, 'list', 'show the letters that were not replayed yet, newest first')
    .option('--topic <topic>', 'only those that came from this topic')
    .option('--limit <count>', 'at most so many', count, DEFAULT_LIMIT)
    .action(
      session.answer(async ({ topic, limit }: { topic?: string; limit: number }) => {
        const letters = await withDeadLetters(session.env, (all) =>
          all.list({ ...(topic === undefined ? {} : { topic }), limit }),
        );
        const rows = letters.map(({ id, topic: origin, consumer, code, failed_at, reason }) => [
          id,
          origin,
          consumer,
          code,
          failed_at,
          reason,
        ]);
        const headers = ['ID', 'TOPIC', 'CONSUMER', 'CODE', 'FAILED', 'REASON'];
        return { json: letters, text: rows.length === 0 ? 'There are no dead letters.' : table(headers, rows) };
      }),
    );

  session
    .command(group, 'replay [ids...]', 'publish letters again, each once; those named by id in any case')
    .option('--topic <topic>', 'only those that came from this topic')
    .action(
      session.answer(async (ids: string[], { topic }: { topic?: string }) => {
        const wanted = { ...(topic === undefined ? {} : { topic }), ...(ids.length === 0 ? {} : { ids }) };
        const replayed = await withDeadLetters(session.env, (all) => all.replay(wanted));
        return {
          json: { replayed },
          text: replayed === 1 ? '1 letter is replayed.' : `${replayed} letters are replayed.`,
        };
      }),
    );
}

/** Without Nest's modules: they would start consumers, and a letter is only looked at or moved. */
async function withDeadLetters<T>(env: NodeJS.ProcessEnv, work: (letters: DeadLetters) => Promise<T>): Promise<T> {
  const config = loadConfig(MessagingConfig, env);
  if (config.KAFKA_BROKERS === '') {
    return withDatabase(env, (dataSource) => work(new InProcessDeadLetters(dataSource)));
  }
  return withKafka(config, async () => {
    const clients = new KafkaClients(config);
    const bus = new KafkaBus(clients);
    try {
      return await work(new KafkaDeadLetters(clients, bus));
    } finally {
      await bus.onApplicationShutdown();
    }
  });
}
