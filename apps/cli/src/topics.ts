import type { Command } from 'commander';
import { MessagingConfig } from '#messaging/messaging.config.js';
import { ensureTopics, type EnsuredTopics } from '#messaging/topics.ensure.js';
import { loadConfig } from '#runtime/config.js';
import type { Session } from './session.js';
import { withKafka } from './with-kafka.js';

export function addTopicsCommands(tallyport: Command, session: Session): void {
  const group = tallyport.command('topics').description('the topics on Kafka');
  session.command(group, 'ensure', 'create the topics that are missing, with their dead-letter topics').action(
    session.answer(async () => {
      const config = loadConfig(MessagingConfig, session.env);
      const ensured = await withKafka(config, () => ensureTopics(config));
      const inProcess = 'KAFKA_BROKERS is not set: the in-process bus needs no topics.';
      return { json: ensured, text: config.KAFKA_BROKERS === '' ? inProcess : described(ensured) };
    }),
  );
}

function described({ created, existing, extended, drift }: EnsuredTopics): string {
  const lines = [
    ...created.map((topic) => `created   ${topic}`),
    ...extended.map((topic) => `extended  ${topic}`),
    ...existing.filter((topic) => !extended.includes(topic)).map((topic) => `existing  ${topic}`),
    ...drift.map((difference) => `differs   ${difference}`),
  ];
  return lines.join('\n');
}
