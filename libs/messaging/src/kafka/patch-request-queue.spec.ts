import { describe, expect, it, jest } from '@jest/globals';
import { RequestQueuePrototype, type RequestQueue } from './patch-request-queue.js';

function queue(state: Partial<RequestQueue>): { queue: RequestQueue; look: jest.Mock } {
  const look = jest.fn();
  const queue = Object.assign(Object.create(RequestQueuePrototype) as RequestQueue, {
    throttleCheckTimeoutId: null,
    throttledUntil: -1,
    pending: [],
    checkPendingRequests: look,
    ...state,
  });
  return { queue, look };
}

describe('the request queue of kafkajs', () => {
  it('sets no timer when it is idle', () => {
    const { queue: idle } = queue({});
    idle.scheduleCheckPendingRequests();
    expect(idle.throttleCheckTimeoutId).toBeNull();
  });

  it('looks again soon when requests wait', () => {
    jest.useFakeTimers();
    const { queue: waiting, look } = queue({ pending: [{}] });
    waiting.scheduleCheckPendingRequests();
    jest.advanceTimersByTime(9);
    expect(look).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(look).toHaveBeenCalledTimes(1);
    expect(waiting.throttleCheckTimeoutId).toBeNull();
    jest.useRealTimers();
  });

  it('looks once, after the broker stops throttling', () => {
    jest.useFakeTimers();
    const { queue: throttled, look } = queue({ throttledUntil: Date.now() + 700 });
    throttled.scheduleCheckPendingRequests();
    throttled.scheduleCheckPendingRequests();
    jest.advanceTimersByTime(699);
    expect(look).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(look).toHaveBeenCalledTimes(1);
    jest.useRealTimers();
  });
});
