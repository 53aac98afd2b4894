import { Catch, Inject, type ArgumentsHost, type RpcExceptionFilter } from '@nestjs/common';
import { catchError, defer, throwError, type Observable } from 'rxjs';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { loggerFor } from '#runtime/logger.js';
import { counter } from '#runtime/metrics.js';
import { EventBus } from '../event-bus.js';
import { HeartbeatFailedError, MessageHeldError, PermanentError } from '../errors.js';
import { ConsumerGroup } from './consumer-group.js';
import { deadLetterReason } from './dead-letter-reason.js';
import { receivedMessage } from './received-message.js';

const deadLetters = counter({
  name: 'tallyport_dead_letters_total',
  help: 'Messages that a consumer could not handle',
  labelNames: ['topic', 'code'],
});
const held = counter({
  name: 'tallyport_messages_held_total',
  help: 'Deliveries that were given back because a dependency was away',
  labelNames: ['topic'],
});

/** Decides what becomes of a message whose attempts are used up. */
@Catch()
export class FailureFilter implements RpcExceptionFilter {
  private readonly log = loggerFor('consumer');

  constructor(
    @Inject(EventBus) private readonly bus: EventBus,
    @Inject(ConsumerGroup) private readonly group: ConsumerGroup,
  ) {}

  catch(error: unknown, host: ArgumentsHost): Observable<unknown> {
    const received = receivedMessage(host.switchToRpc().getContext());
    const { topic, partition, offset, message } = received;
    if (error instanceof HeartbeatFailedError) return throwError(() => error.cause);
    if (!(error instanceof PermanentError) && isDependencyAway(error)) {
      held.inc({ topic });
      this.log.warn({ err: error, topic, partition, offset }, 'a dependency is away; the message waits');
      return throwError(() => new MessageHeldError(error));
    }
    const reason = deadLetterReason(received, error, this.group.id);
    return defer(async () => {
      await this.bus.deadLetter({ topic, message, reason });
      deadLetters.inc({ topic, code: reason['x-error-code'] ?? '' });
      this.log.error({ err: error, topic, partition, offset }, 'the message is now a dead letter');
    }).pipe(catchError((failure: unknown) => throwError(() => new MessageHeldError(failure))));
  }
}
