import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { defaultIfEmpty, defer, mergeMap, Observable, retry, throwError, timer } from 'rxjs';
import { loggerFor } from '#runtime/logger.js';
import { withContext, type WorkContext } from '#runtime/work-context.js';
import { HeartbeatFailedError, PermanentError } from '../errors.js';
import { envelopeOf, receivedMessage, type ReceivedMessage } from './received-message.js';

/** Waits between the attempts of one delivery. Their sum stays far below the session timeout of the group (10 s). */
export const RETRY_DELAYS_MS = [50, 200, 500, 1_500];

/** Tries a handler again, and lets every log line and trace of it know which message it is about. */
@Injectable()
export class RetryInterceptor implements NestInterceptor {
  private readonly log = loggerFor('consumer');

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const message = receivedMessage(context.switchToRpc().getContext());
    const about = contextOf(message);
    // Nest binds the handler to the context in which handle() is called, not to that of the subscription.
    const attempts = withContext(about, () => next.handle()).pipe(
      // A handler that returns an empty observable is done; kafkajs would see an error.
      defaultIfEmpty(undefined),
      retry({
        count: RETRY_DELAYS_MS.length,
        delay: (error: unknown, attempt) => {
          if (error instanceof PermanentError) return throwError(() => error);
          this.log.warn({ err: error, attempt }, 'a consumer failed and tries again');
          return defer(() => heartbeat(message)).pipe(mergeMap(() => timer(RETRY_DELAYS_MS[attempt - 1] ?? 0)));
        },
      }),
    );
    return new Observable((subscriber) => withContext(about, () => attempts.subscribe(subscriber)));
  }
}

/** A partition may wait long, over many deliveries; without heartbeats the group would give it to somebody else. */
async function heartbeat(message: ReceivedMessage): Promise<void> {
  try {
    await message.heartbeat();
  } catch (error) {
    throw new HeartbeatFailedError('the group did not take the heartbeat', { cause: error });
  }
}

/** What log lines and traces of a message say. */
export function contextOf(message: ReceivedMessage): WorkContext {
  const { topic, partition, offset } = message;
  try {
    const { id, traceparent } = envelopeOf(message);
    return { topic, partition, offset, event_id: id, traceparent };
  } catch {
    return { topic, partition, offset, traceparent: undefined };
  }
}
