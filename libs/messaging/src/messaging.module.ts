import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { configProvider } from '#runtime/config.js';
import { ConsumerGroup } from './consumer/consumer-group.js';
import { DeadLetterRecords } from './dead-letter-records.js';
import { DeadLetters } from './dead-letters.js';
import { EventBus } from './event-bus.js';
import { InProcessBus } from './in-process/in-process.bus.js';
import { InProcessDeadLetters } from './in-process/in-process-dead-letters.js';
import { KafkaBus } from './kafka/kafka.bus.js';
import { KafkaClients } from './kafka/kafka-clients.js';
import { KafkaDeadLetters } from './kafka/kafka-dead-letters.js';
import { MessagingConfig } from './messaging.config.js';

/**
 * EventBus and DeadLetters: on Kafka when KAFKA_BROKERS is set, else in-process, which needs the DataSource of a global
 * module. Consumers start with `connectMessaging`.
 */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [
    configProvider(MessagingConfig),
    KafkaClients,
    ConsumerGroup,
    DeadLetterRecords,
    {
      provide: EventBus,
      inject: [MessagingConfig, KafkaClients, { token: DataSource, optional: true }],
      useFactory: (config: MessagingConfig, clients: KafkaClients, dataSource?: DataSource) =>
        config.KAFKA_BROKERS === '' ? new InProcessBus(required(dataSource)) : new KafkaBus(clients),
    },
    {
      provide: DeadLetters,
      inject: [EventBus, KafkaClients, { token: DataSource, optional: true }],
      useFactory: (bus: EventBus, clients: KafkaClients, dataSource?: DataSource) =>
        bus instanceof KafkaBus ? new KafkaDeadLetters(clients, bus) : new InProcessDeadLetters(required(dataSource)),
    },
  ],
  exports: [EventBus, DeadLetters, DeadLetterRecords, ConsumerGroup, KafkaClients, MessagingConfig],
})
export class MessagingModule {}

function required(dataSource: DataSource | undefined): DataSource {
  if (dataSource === undefined) throw new Error('Without KAFKA_BROKERS messaging needs the database.');
  return dataSource;
}
