import type { Consumer } from 'kafkajs';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { loggerFor } from '#runtime/logger.js';
import { counter, gauge } from '#runtime/metrics.js';

/**
 * Longest silence before the broker gives a consumer's partitions to another one. After a SIGKILL the whole group waits
 * this long, and a new process is not ready before; handlers and the waits between their attempts must stay below it.
 */
export const SESSION_TIMEOUT_MS = 10_000;
/** Crashes without one batch between them; kafkajs would go on for ever. */
const MAX_CRASHES = 5;
const JOIN_TIMEOUT_MS = 120_000;

const crashesTotal = counter({
  name: 'tallyport_consumer_crashes_total',
  help: 'Crashes of the Kafka consumer',
  labelNames: ['restart'],
});
const rebalances = counter({
  name: 'tallyport_consumer_rebalances_total',
  help: 'Times the consumer had to join its group again',
});

const watched = new Map<string, ConsumerWatch>();
gauge({
  name: 'tallyport_consumer_heartbeat_age_seconds',
  help: 'Time since the consumer last told its group that it lives',
  labelNames: ['group'],
  collect() {
    this.reset();
    for (const [group, watch] of watched) this.set({ group }, watch.heartbeatAgeMs() / 1000);
  },
});

/**
 * Watches a kafkajs consumer through its events. A consumer that is gone for good leaves a living process that reads
 * nothing, so `onDead` must end the process.
 *
 * For good means: kafkajs says it will not restart, or it crashed five times and finished no batch between. A crash
 * that kafkajs restarts from and that an outage caused (broker, database, any dependency) does not count: kafkajs
 * gives up its attempts after half a minute, joins again and goes on with the same message, and a restart of our process
 * would bring nothing but a storm of restarts while the dependency is away. Readiness shows the outage meanwhile.
 */
export class ConsumerWatch {
  private readonly log = loggerFor('consumer');
  private joined = false;
  private deathReason: string | undefined;
  private crashes = 0;
  private lastHeartbeat = 0;
  private readonly firstJoin = deferred();

  constructor(
    private readonly group: string,
    private readonly onDead: (error: unknown) => void,
  ) {}

  observe(consumer: Consumer): void {
    watched.set(this.group, this);
    const { GROUP_JOIN, HEARTBEAT, END_BATCH_PROCESS, REBALANCING, CRASH, STOP } = consumer.events;
    consumer.on(GROUP_JOIN, () => {
      this.joined = true;
      this.lastHeartbeat = Date.now();
      this.firstJoin.resolve();
    });
    consumer.on(HEARTBEAT, () => {
      this.lastHeartbeat = Date.now();
    });
    consumer.on(END_BATCH_PROCESS, () => {
      this.crashes = 0;
    });
    consumer.on(REBALANCING, () => {
      this.joined = false;
      rebalances.inc();
    });
    consumer.on(STOP, () => {
      this.joined = false;
    });
    consumer.on(CRASH, ({ payload }) => {
      this.crashed(payload.error, payload.restart);
    });
  }

  /** Resolves when the consumer first has its partitions. */
  async untilJoined(): Promise<void> {
    const timer = setTimeout(() => {
      this.firstJoin.reject(new Error(`the consumer did not join its group within ${JOIN_TIMEOUT_MS / 1000} s`));
    }, JOIN_TIMEOUT_MS);
    await this.firstJoin.promise.finally(() => {
      clearTimeout(timer);
    });
  }

  /** @throws Error when messages are not being read now */
  checkReady(): void {
    this.checkAlive();
    if (!this.joined) throw new Error('not in the consumer group');
    const silence = this.heartbeatAgeMs();
    if (silence > 2 * SESSION_TIMEOUT_MS) throw new Error(`no heartbeat for ${Math.round(silence / 1000)} s`);
  }

  /** @throws Error when the consumer is gone for good; never because Kafka is away */
  checkAlive(): void {
    if (this.deathReason !== undefined) throw new Error(`consumer dead: ${this.deathReason}`);
  }

  heartbeatAgeMs(): number {
    return Date.now() - this.lastHeartbeat;
  }

  private crashed(error: Error, restart: boolean): void {
    this.joined = false;
    crashesTotal.inc({ restart: String(restart) });
    const outage = restart && isDependencyAway(error);
    if (!outage) this.crashes += 1;
    if (restart && this.crashes < MAX_CRASHES) {
      this.log.error(
        { err: error, group: this.group, crashes: this.crashes, outage },
        'the Kafka consumer crashed and restarts',
      );
      return;
    }
    if (this.deathReason !== undefined) return;
    this.deathReason = error.message;
    this.log.fatal(
      { err: error, group: this.group, restart, crashes: this.crashes },
      'the Kafka consumer is gone for good',
    );
    this.firstJoin.reject(error);
    this.onDead(error);
  }
}

/** Promise.withResolvers() of Node 22. A rejection that nobody awaits is not an unhandled one. */
function deferred(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
