import { Catch, Inject, type ArgumentsHost, type RpcExceptionFilter } from '@nestjs/common';
import { catchError, defer, throwError, type Observable } from 'rxjs';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { loggerFor } from '#runtime/logger.js';
import { EventBus } from '../event-bus.js';
import { HeartbeatFailedError, MessageHeldError, PermanentError } from '../errors.js';
import { ConsumerGroup } from './consumer-group.js';
import { buryMessage, countHeld } from './bury-message.js';
import { receivedMessage } from './received-message.js';

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
    const { topic, partition, offset } = received;
    if (error instanceof HeartbeatFailedError) return throwError(() => error.cause);
    if (!(error instanceof PermanentError) && isDependencyAway(error)) {
      countHeld(topic);
      this.log.warn({ err: error, topic, partition, offset }, 'a dependency is away; the message waits');
      return throwError(() => new MessageHeldError(error));
    }
    return defer(() => buryMessage(this.bus, this.group.id, received, error)).pipe(
      catchError((failure: unknown) => throwError(() => new MessageHeldError(failure))),
    );
  }
}
