import { PermanentError } from '../errors.js';
import type { ReceivedMessage } from './received-message.js';

const MAX_MESSAGE_CHARACTERS = 1_000;

/** The headers that say why a message died, where it came from and who gave up. */
export function deadLetterReason(received: ReceivedMessage, error: unknown, group: string): Record<string, string> {
  const { topic, partition, offset } = received;
  return {
    'x-error-code': error instanceof PermanentError ? error.code : 'handler_failed',
    'x-error-class': error instanceof Error ? error.name : typeof error,
    'x-error-message': errorMessage(error),
    'x-origin-topic': topic,
    'x-origin-partition': String(partition),
    'x-origin-offset': offset,
    'x-consumer': group,
    'x-failed-at': new Date().toISOString(),
  };
}

/** One text for a person; PostgreSQL stores no NUL and no lone surrogates. */
function errorMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return Buffer.from(text.slice(0, MAX_MESSAGE_CHARACTERS).replaceAll('\0', ' ')).toString();
}

/** Headers as a replay sends them: those of the original. */
export function originalHeaders<T>(headers: Record<string, T>): Record<string, T> {
  const added = /^x-(error-(code|class|message|count)|origin-(topic|partition|offset)|consumer|failed-at)$/;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !added.test(name)));
}
