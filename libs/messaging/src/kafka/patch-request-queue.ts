import { createRequire } from 'node:module';

/** The private parts of kafkajs 2.2.4 that the patch touches. */
export interface RequestQueue {
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  /** Milliseconds since the epoch; -1 when the broker does not throttle. */
  throttledUntil: number;
  pending: unknown[];
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
}

const CHECK_INTERVAL_MS = 10;

const patched = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as { prototype: RequestQueue };

/**
 * kafkajs 2.2.4 re-arms a timer with a negative timeout for ever: 2,800 wake-ups a second when idle, and a warning on
 * Node 24 (tulios/kafkajs#1556, #1704, #1751). This arms it only when something waits. Imported for its effect.
 */
patched.prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
  if (this.throttleCheckTimeoutId !== null) return;
  const throttledFor = this.throttledUntil - Date.now();
  if (this.pending.length === 0 && throttledFor <= 0) return;
  this.throttleCheckTimeoutId = setTimeout(
    () => {
      this.throttleCheckTimeoutId = null;
      this.checkPendingRequests();
    },
    throttledFor > 0 ? throttledFor : CHECK_INTERVAL_MS,
  );
};

export const RequestQueuePrototype = patched.prototype;
