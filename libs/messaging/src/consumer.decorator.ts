import {
  applyDecorators,
  Controller,
  createParamDecorator,
  SetMetadata,
  UseFilters,
  UseInterceptors,
  UsePipes,
  type ExecutionContext,
} from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { EventPipe, Incoming } from './consumer/event.pipe.js';
import { FailureFilter } from './consumer/failure.filter.js';
import { RetryInterceptor } from './consumer/retry.interceptor.js';
import { receivedMessage } from './consumer/received-message.js';
import type { EventClass } from './event-class.js';

const EVENT_CLASS = 'tallyport:event-class';

/**
 * A class whose methods take events, on Kafka and in-process alike. A handler only throws; what becomes of the message
 * is decided here:
 *
 * 1. done: acknowledged;
 * 2. invalid, or a PermanentError: a dead letter at once;
 * 3. a dependency is away: a few attempts, then the partition waits, however long it takes;
 * 4. anything else: a few attempts, then a dead letter.
 *
 * One class decorator, because Nest's global pipes and filters silently do not reach consumers of a hybrid application.
 */
export function KafkaConsumer(): ClassDecorator {
  return applyDecorators(
    Controller(),
    UseInterceptors(RetryInterceptor),
    UsePipes(EventPipe),
    UseFilters(FailureFilter),
  );
}

/**
 * The method takes the events of one topic. It returns in milliseconds: kafkajs sends no heartbeat meanwhile, so long
 * work is handed to a runner. The same event may come twice.
 */
export function Consumes(event: EventClass): MethodDecorator {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-arguments -- else another overload is taken (TS1241)
  return applyDecorators(EventPattern<string>(event.topic), SetMetadata(EVENT_CLASS, event));
}

/** The validated data of the event, an instance of the class given to `@Consumes`. */
export const EventData = createParamDecorator((_: unknown, context: ExecutionContext) => incoming(context, 'data'));

/** The whole envelope, its data validated. */
export const EventEnvelope = createParamDecorator((_: unknown, context: ExecutionContext) =>
  incoming(context, 'envelope'),
);

function incoming(context: ExecutionContext, want: 'data' | 'envelope'): Incoming {
  const event = Reflect.getMetadata(EVENT_CLASS, context.getHandler()) as EventClass | undefined;
  if (event === undefined) throw new TypeError(`${context.getHandler().name} has no @Consumes().`);
  return new Incoming(receivedMessage(context.switchToRpc().getContext()), event, want);
}
