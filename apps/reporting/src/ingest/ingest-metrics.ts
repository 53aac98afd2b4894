import type { Topic } from '#contracts/topics.js';
import { counter, durationHistogram } from '#runtime/metrics.js';
import type { IngestedEvents } from './event-ingest.js';

const events = counter({
  name: 'tallyport_ingested_events_total',
  help: 'Collected events by what became of them',
  labelNames: ['result'],
});
const droppedAddresses = counter({
  name: 'tallyport_ingested_ip_dropped_total',
  help: 'Events whose ip was no address and is kept empty',
});
const durations = durationHistogram({
  name: 'tallyport_ingest_batch_seconds',
  help: 'Time in which a batch of one asset was committed',
  labelNames: ['topic'],
});

export function countIngested({ events: stored, duplicates, bad, ipDropped }: IngestedEvents): void {
  events.inc({ result: 'stored' }, stored);
  events.inc({ result: 'duplicate' }, duplicates);
  events.inc({ result: 'refused' }, bad);
  droppedAddresses.inc(ipDropped);
}

/** Failed batches count too: they take as long. */
export async function timeBatch<T>(topic: Topic, work: () => Promise<T>): Promise<T> {
  const stop = durations.startTimer({ topic });
  try {
    return await work();
  } finally {
    stop();
  }
}
