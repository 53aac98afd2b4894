import type { IncomingMessage } from 'node:http';
import type { ImportFormat } from '#contracts/cost-import.js';
import { acceptedType } from '../uploads/receive-upload.js';

/** The format that the client says it sends; checked before the body is read. */
export function uploadFormat(request: IncomingMessage): ImportFormat {
  return acceptedType(request, ['text/csv', 'application/json']) === 'text/csv' ? 'csv' : 'json';
}
