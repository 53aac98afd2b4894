import { ConsentRecorded } from '#contracts/events/consent-recorded.js';
import { EventsCollected } from '#contracts/events/events-collected.js';
import { UsersIdentified } from '#contracts/events/users-identified.js';
import { event, EXAMPLE_ASSET } from './event-text.asyncapi.js';

/** What collectors send. */
export const COLLECTED_EVENTS = {
  'events.collected.v1': event({
    type: EventsCollected,
    from: ['gateway'],
    to: ['reporting', 'integrity'],
    bucketOf: '`distinct_id`',
    descriptions: {
      asset_id: 'Whose visitors.',
      records: 'At most 500 and 500 KB; members as `POST /api/v1/collect/events` takes them.',
    },
    example: {
      asset_id: EXAMPLE_ASSET,
      records: [
        {
          event_id: '019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10',
          event_time: '2026-01-04T09:30:00Z',
          event_type: 'page_view',
          distinct_id: 'visitor-1',
          lt_channel: 'Google Ads',
        },
      ],
    },
  }),
  'consent.recorded.v1': event({
    type: ConsentRecorded,
    from: ['gateway'],
    to: ['reporting'],
    bucketOf: '`distinct_id`, else `consent_id`,',
    descriptions: { asset_id: 'Whose visitors.', records: 'At most 500; the IP address is stored only as HMAC.' },
    example: {
      asset_id: EXAMPLE_ASSET,
      records: [
        {
          consent_id: 'c-1',
          consent_at: '2026-01-04T09:30:00Z',
          action: 'accept',
          accepted: ['analytics'],
          rejected: [],
        },
      ],
    },
  }),
  'users.identified.v1': event({
    type: UsersIdentified,
    from: ['gateway'],
    to: ['reporting'],
    bucketOf: '`global_user_id`',
    descriptions: { asset_id: 'Whose visitors.', records: 'At most 500.' },
    example: {
      asset_id: EXAMPLE_ASSET,
      records: [{ global_user_id: 'u-1', distinct_ids: ['visitor-1'], email: 'ada@example.com' }],
    },
  }),
};
