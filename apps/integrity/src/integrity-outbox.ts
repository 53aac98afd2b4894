import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EventBus } from '#messaging/event-bus.js';
import { Outbox } from '#messaging/outbox.js';

/** The events that integrity writes. */
@Injectable()
export class IntegrityOutbox extends Outbox {
  constructor(@Inject(DataSource) dataSource: DataSource, @Inject(EventBus) bus: EventBus) {
    super(dataSource, bus, 'integrity');
  }
}
