import { counter } from '#runtime/metrics.js';
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
export function countIngested({ events: stored, duplicates, bad, ipDropped }: IngestedEvents): void {
  events.inc({ result: 'stored' }, stored);
  events.inc({ result: 'duplicate' }, duplicates);
  events.inc({ result: 'refused' }, bad);
  droppedAddresses.inc(ipDropped);
}
