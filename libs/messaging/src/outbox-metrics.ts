import { loggerFor } from '#runtime/logger.js';
import { counter, gauge } from '#runtime/metrics.js';

interface Waiting {
  count: number;
  /** 0 when nothing waits. */
  oldestSeconds: number;
}

type Pending = () => Promise<Waiting>;

const watched = new Map<string, Pending>();

/** Undefined: no more. */
export function watchOutbox(schema: string, pending: Pending | undefined): void {
  if (pending === undefined) watched.delete(schema);
  else watched.set(schema, pending);
}

gauge({
  name: 'tallyport_outbox_pending',
  help: 'Events that wait to be published',
  labelNames: ['outbox'],
  async collect() {
    await measure((outbox, { count }) => {
      this.set({ outbox }, count);
    });
  },
});

gauge({
  name: 'tallyport_outbox_oldest_seconds',
  help: 'Age of the oldest event that waits to be published',
  labelNames: ['outbox'],
  async collect() {
    await measure((outbox, { oldestSeconds }) => {
      this.set({ outbox }, oldestSeconds);
    });
  },
});

/** The rest of the metrics must not fall with the database. */
async function measure(set: (outbox: string, waiting: Waiting) => void): Promise<void> {
  for (const [outbox, pending] of watched) {
    try {
      set(outbox, await pending());
    } catch (error) {
      loggerFor('outbox').warn({ err: error }, 'the outbox could not be measured');
    }
  }
}

const parked = counter({
  name: 'tallyport_outbox_parked_total',
  help: 'Events that can never be sent',
  labelNames: ['outbox'],
});

export function countParked(outbox: string, events: number): void {
  parked.inc({ outbox }, events);
}
