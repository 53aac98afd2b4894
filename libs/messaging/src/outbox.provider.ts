import type { FactoryProvider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EventBus } from './event-bus.js';
import type { OutboxSchema } from './outbox-table.js';
import { Outbox } from './outbox.js';

/**
 * The outbox of a service. Provide it in a module that is not global: on shutdown it flushes before the global database
 * and messaging modules close.
 */
export function outboxProvider(schema: OutboxSchema): FactoryProvider<Outbox> {
  return {
    provide: Outbox,
    inject: [DataSource, EventBus],
    useFactory: (dataSource: DataSource, bus: EventBus) => new Outbox(dataSource, bus, schema),
  };
}
