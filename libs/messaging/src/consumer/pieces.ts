import type { BatchMessage } from '../batch-consumer.js';
import type { EventClass } from '../event-class.js';
import { validateMembers } from './parse-envelope.js';
import { envelopeOf, type ReceivedMessage } from './received-message.js';

/** What a batch consumer gets at a time: handling it must stay well below the session timeout of the group. */
export const PIECE = { messages: 20, records: 10_000, bytes: 5_000_000 };

/** A message as a batch consumer takes it, or why it never can. */
export type CheckedMessage<T> = { received: ReceivedMessage } & ({ message: BatchMessage<T> } | { error: unknown });

/** Checks messages one after the other, and hands them out in pieces of at most `PIECE` but at least one message. */
export function* pieces<T extends object>(
  event: EventClass<T>,
  messages: Iterable<ReceivedMessage>,
): Generator<CheckedMessage<T>[]> {
  let piece: CheckedMessage<T>[] = [];
  let records = 0;
  let bytes = 0;
  for (const received of messages) {
    const checked = check(event, received);
    const more = { records: recordsOf(checked), bytes: received.message.value?.length ?? 0 };
    const full =
      piece.length === PIECE.messages || records + more.records > PIECE.records || bytes + more.bytes > PIECE.bytes;
    if (full && piece.length > 0) {
      yield piece;
      piece = [];
      records = 0;
      bytes = 0;
    }
    piece.push(checked);
    records += more.records;
    bytes += more.bytes;
  }
  if (piece.length > 0) yield piece;
}

/** Whatever fails here is the fault of the message. */
function check<T extends object>(event: EventClass<T>, received: ReceivedMessage): CheckedMessage<T> {
  try {
    const { id, source, data } = envelopeOf(received) as { id: string; source: unknown; data: object };
    const message = {
      id,
      source: typeof source === 'string' ? source : '',
      data: validateMembers(event, data),
      received,
    };
    return { received, message };
  } catch (error) {
    return { received, error };
  }
}

function recordsOf<T>(checked: CheckedMessage<T>): number {
  if (!('message' in checked)) return 0;
  const { records } = checked.message.data as { records?: unknown };
  return Array.isArray(records) ? records.length : 1;
}
