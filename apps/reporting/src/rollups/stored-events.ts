import type { PoolClient } from 'pg';
import type { Dimensions, DimensionFields } from '../ingest/dimensions.js';
import { countsAs } from '../ingest/counts-as.js';
import type { OutcomeFields } from '../ingest/outcomes.js';
import type { LocalDays } from '#ingest/local-days.js';
import type { SessionEvent } from '../ingest/sessions.js';
import { microseconds } from '#ingest/sql.js';
import type { OutcomeStage } from './outcome-stage.js';

const ROWS = 10_000;

interface EventRow extends DimensionFields, OutcomeFields {
  visitor_id: string | null;
  visitors_person: string;
  named_person: string | null;
  names: boolean;
  at: string;
  event_id: string;
}

/** An event with whom it belongs to. */
export interface StoredEvent {
  visitor: number;
  /** The person of the visitor. */
  person: number;
  event: SessionEvent;
}

/**
 * The raw events of an asset as the transaction sees them, in pieces, ordered as sessions are built: by visitor, time and
 * id. One piece is read ahead.
 *
 * @param outcomes gets what they bring
 * @throws Error when an event has no visitor or names no known person: then somebody wrote events past the ingest
 */
export async function* storedEvents(
  client: PoolClient,
  assetId: string,
  days: LocalDays,
  dimensions: Dimensions,
  outcomes: OutcomeStage,
): AsyncGenerator<StoredEvent[]> {
  await client.query(`SET LOCAL cursor_tuple_fraction = 1; SET LOCAL work_mem = '256MB'`);
  await client.query(
    `DECLARE stored_events NO SCROLL CURSOR FOR
     SELECT v.visitor_id, v.person_id AS visitors_person, p.person_id AS named_person,
            e.global_user_id IS NOT NULL AS names, ${microseconds('e.event_time')} AS at, e.event_id, e.event_type,
            event_name, value, currency,
            lt_channel, lt_channel_type, lt_source, lt_medium, lt_campaign, geo_country, geo_region, geo_city, ua_browser, ua_os
       FROM reporting.event e
       LEFT JOIN reporting.visitor v ON v.asset_id = e.asset_id AND v.distinct_id = e.distinct_id
       LEFT JOIN reporting.person p ON p.asset_id = e.asset_id AND p.global_user_id = e.global_user_id
      WHERE e.asset_id = '${assetId}'
      ORDER BY v.visitor_id, e.event_time, e.event_id COLLATE "C"`,
  );
  const fetch = (): Promise<EventRow[]> =>
    client.query<EventRow>(`FETCH ${ROWS} FROM stored_events`).then(({ rows }) => rows);
  let next = fetch();
  // A failure while the piece before it is worked on is met where it is awaited.
  next.catch(() => undefined);
  for (;;) {
    const rows = await next;
    if (rows.length === 0) break;
    await outcomes.makeRoom();
    next = fetch();
    next.catch(() => undefined);
    const ids = await dimensions.resolve(assetId, rows);
    yield rows.map((row, index) => {
      const dimensionIds = ids[index];
      if (row.visitor_id === null || (row.names && row.named_person === null) || dimensionIds === undefined)
        throw new Error('There are events that were written past the ingest a moment ago. Try again.');
      const at = Number(row.at);
      const day = days.at(at);
      outcomes.add(row, day, dimensionIds);
      return {
        visitor: Number(row.visitor_id),
        person: Number(row.visitors_person),
        event: {
          at,
          id: row.event_id,
          day,
          named: Number(row.named_person ?? 0),
          countsAs: countsAs(row.event_type),
          dimensions: dimensionIds,
        },
      };
    });
  }
  await client.query('CLOSE stored_events');
}
