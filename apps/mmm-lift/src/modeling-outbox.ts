import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EventBus } from '#messaging/event-bus.js';
import { Outbox } from '#messaging/outbox.js';

/** The events that mmm-lift writes. */
@Injectable()
export class ModelingOutbox extends Outbox {
  constructor(@Inject(DataSource) dataSource: DataSource, @Inject(EventBus) bus: EventBus) {
    super(dataSource, bus, 'modeling');
  }
}
