import { hash } from 'node:crypto';

const UUID_DIGITS = 32;

/** The first 16 bytes of SHA-256 of an event id, as 32 hex digits. The key of a session is that of its first event. */
export function eventKey(id: string): string {
  return hash('sha256', id, 'hex').slice(0, UUID_DIGITS);
}
