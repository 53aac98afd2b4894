import type { ConsumerConfig } from 'kafkajs';
import { SESSION_TIMEOUT_MS } from './consumer-watch.js';

/** Settings of every consumer of ours; the defaults of kafkajs that hurt are replaced. */
export function consumerSettings(groupId: string) {
  return {
    groupId,
    allowAutoTopicCreation: false,
    sessionTimeout: SESSION_TIMEOUT_MS,
    heartbeatInterval: 3_000,
    rebalanceTimeout: 60_000,
    // The default of 5 s is what a shutdown would wait.
    maxWaitTimeInMs: 1_000,
    // Finite on purpose: only the crash and restart that follow find a coordinator that has moved, or leave a connection
    // that is silently dead. ConsumerWatch does not count a crash that an outage caused.
    retry: { initialRetryTime: 300, maxRetryTime: 5_000, retries: 7 },
  } satisfies ConsumerConfig;
}
