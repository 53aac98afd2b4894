import { counter } from '#runtime/metrics.js';
import type { IngestedTraffic } from './traffic-ingest.js';

const ingested = counter({
  name: 'tallyport_integrity_events_total',
  help: 'Collected events by what became of them in the sessions of integrity',
  labelNames: ['result'],
});
const withoutAddresses = counter({
  name: 'tallyport_integrity_skipped_no_ip_total',
  help: 'Events without an address, which count for no network',
});

export function countTraffic({ events, duplicates, tooOld, withoutAddress, bad }: IngestedTraffic): void {
  ingested.inc({ result: 'stored' }, events);
  ingested.inc({ result: 'duplicate' }, duplicates);
  ingested.inc({ result: 'too_old' }, tooOld);
  ingested.inc({ result: 'refused' }, bad);
  withoutAddresses.inc(withoutAddress);
}
