import { Injectable, type PipeTransform } from '@nestjs/common';
import type { EventClass } from '../event-class.js';
import { validateData } from './parse-envelope.js';
import { envelopeOf, type ReceivedMessage } from './received-message.js';

/** What `@EventData()` and `@EventEnvelope()` hand to the pipe. */
export class Incoming {
  constructor(
    readonly message: ReceivedMessage,
    readonly event: EventClass,
    readonly want: 'data' | 'envelope',
  ) {}
}

/** Parses and validates here and not in a deserializer, so that a failure meets the filter and not kafkajs. */
@Injectable()
export class EventPipe implements PipeTransform {
  transform(value: unknown): unknown {
    if (Buffer.isBuffer(value)) throw new TypeError('A consumer takes its event through @EventData().');
    if (!(value instanceof Incoming)) return value;
    const envelope = envelopeOf(value.message);
    const data = validateData(value.event, envelope.data);
    return value.want === 'data' ? data : { ...envelope, data };
  }
}
