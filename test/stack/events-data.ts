import { Readable } from 'node:stream';
import { RAW_EVENTS_LAYOUT } from '#contracts/layouts/raw-events.layout.js';
import { readCsv } from '#csv/read-csv.js';
import { Chance, disturbed, pieces, randomEvents, type SentEvent } from '../fixtures/event-streams.js';
import { microseconds, reportNumbers, type ReportNumbers } from '../fixtures/reporting-oracle.js';

/** Begins before the end of a month. */
const FROM = '2026-06-20T00:00:00Z';
/** Around all events of a stream, with weeks to spare. */
export const RANGE = 'from=2026-06-01&to=2026-10-31';
const EVENTS_PER_VISITOR = 12;

export interface EventStream {
  /** As they arrive: late ones, ties, and some twice. */
  sent: readonly SentEvent[];
  /** Each once. */
  events: readonly SentEvent[];
  /** What has to come of them. */
  numbers(timezone?: string): ReportNumbers;
}

/** A stream that is the same for the same options. */
export function eventStream({ events: count, seed = 1 }: { events: number; seed?: number }): EventStream {
  const chance = new Chance(seed);
  const visitors = Math.ceil(count / EVENTS_PER_VISITOR);
  const events = randomEvents(chance, { events: count, visitors, users: Math.ceil(visitors / 3), from: FROM });
  const sent = disturbed(chance, events, Math.ceil(count / 10));
  return { sent, events, numbers: (timezone = 'UTC') => reportNumbers(events, [], timezone) };
}

/** The stream cut into bodies of different sizes, in no order. */
export function shuffledBodies({ sent }: EventStream, most: number, seed = 1): SentEvent[][] {
  const chance = new Chance(seed);
  return chance.shuffle(pieces(chance, sent, most));
}

/** The rows of `raw-events.csv` that have to come of the stream, by their cells. */
export function rawRows({ events }: EventStream): string[][] {
  return events
    .map((event) => ({ event, us: microseconds(event.event_time) }))
    .sort((a, b) => {
      if (a.us !== b.us) return a.us < b.us ? -1 : 1;
      return Buffer.compare(Buffer.from(a.event.event_id), Buffer.from(b.event.event_id));
    })
    .map(({ event }) =>
      RAW_EVENTS_LAYOUT.map(({ key }) => {
        if (key === 'event_time') return event.event_time.replace(/\.\d+/, '');
        return (event as unknown as Partial<Record<string, string>>)[key] ?? '';
      }),
    );
}

/** The records of a CSV file, its header the first. */
export async function csvRecords(bytes: Buffer): Promise<string[][]> {
  const records: string[][] = [];
  for await (const batch of readCsv(Readable.from([bytes])))
    for (const { cells } of batch.records) records.push([...cells]);
  return records;
}
