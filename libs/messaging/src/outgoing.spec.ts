import { expect, it } from '@jest/globals';
import type { Envelope } from '#contracts/envelope.js';
import { EventsCollected } from '#contracts/events/events-collected.js';
import { withContext } from '#runtime/work-context.js';
import { outgoingEvent } from './outgoing.js';
import { ASSET } from '../testing/consumer-fixtures.js';

const { topic } = EventsCollected;

it('makes an event a message in the trace of the work at hand, keyed by the asset or as told', () => {
  const data = { asset_id: ASSET, records: [{ event_id: '1' }] };
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const message = withContext({ traceparent }, () => outgoingEvent('gateway', topic, ASSET, data, `${ASSET}:31`));
  const event = JSON.parse(message.value) as Envelope;
  expect(event).toMatchObject({ id: message.id, type: topic, source: '/tallyport/gateway', subject: ASSET, data });
  expect(message).toMatchObject({ topic, key: `${ASSET}:31`, headers: { traceparent: event.traceparent } });
  expect(event.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-/);
  expect(event.traceparent).not.toBe(traceparent);
  const next = outgoingEvent('gateway', topic, ASSET, data);
  expect(next.key).toBe(ASSET);
  expect(next.id).not.toBe(message.id);
});
