import { isUnpaidTouch } from '#contracts/channels/unpaid.js';
import type { EventRecord } from '#contracts/collect/collected.js';
import { decimalText, signedMillionths } from '#contracts/costs/millionths.js';
import { countsAs } from './counts-as.js';
import { KIND, type DimensionIds } from './dimension-ids.js';
import { COUNTS_AS } from './sessions.js';

/** What is added to one row of `outcome_rollup`; amounts are decimals as text, and plain for JSON. */
export interface Outcome {
  target: string;
  /** Local day since 1970. */
  day: number;
  /** Dimension id of the kind `geo`. */
  place: number;
  /** Empty for counts. */
  currency: string;
  country: string;
  region: string;
  city: string;
  value: string;
  organic: string;
  events: number;
}

/** The fields of an event that outcomes are made of. */
export type OutcomeFields = Pick<
  EventRecord,
  | 'event_type'
  | 'event_name'
  | 'lt_channel'
  | 'lt_channel_type'
  | 'geo_country'
  | 'geo_region'
  | 'geo_city'
  | 'value'
  | 'currency'
>;

/** A day and a place with its names. */
type At = Pick<Outcome, 'day' | 'place' | 'country' | 'region' | 'city'>;

interface Count {
  target: string;
  at: At;
  value: number;
  organic: number;
  events: number;
}

/** Millionths, exact. */
interface Revenue {
  at: At;
  currency: string;
  value: bigint;
  organic: bigint;
}

/**
 * Sums what events of one asset bring to the targets of models, by local day and place. Each event counts by itself, with
 * its own place and last touch and not with those of its session: what merges sessions later changes nothing here.
 */
export class OutcomeSums {
  /** `<day>:<place>` for conversions, `<day>:<place>:<name>` for goals. */
  private readonly counts = new Map<string, Count>();
  /** `<day>:<place>:<currency>` */
  private readonly revenues = new Map<string, Revenue>();
  /** By dimension id of the kind `spelling`, which has the name and the type of the channel. */
  private readonly unpaid = new Map<number, boolean>();

  /** @param currency of values that name none: the asset's */
  constructor(private readonly currency: string) {}

  /** How many rows there are. */
  get size(): number {
    return this.counts.size + this.revenues.size;
  }

  add(event: OutcomeFields, day: number, dimensions: DimensionIds): void {
    const organic = this.isUnpaid(event, dimensions[KIND.spelling]);
    const key = `${day}:${dimensions[KIND.geo]}`;
    let conversions = this.counts.get(key);
    if (conversions === undefined) {
      conversions = { target: 'conversions', at: atOf(event, day, dimensions), value: 0, organic: 0, events: 0 };
      this.counts.set(key, conversions);
    }
    conversions.events++;
    if (countsAs(event.event_type) === COUNTS_AS.conversion) count(conversions, organic);
    const { event_name: name, value, currency } = event;
    if (name !== null) count(this.goal(`${key}:${name}`, name, conversions.at), organic);
    if (value !== null) pay(this.revenue(key, currency ?? this.currency, conversions.at), value, organic);
  }

  /** The sums until now; they are forgotten. */
  take(): Outcome[] {
    const outcomes: Outcome[] = [];
    for (const { target, at, value, organic, events } of this.counts.values())
      outcomes.push({ target, ...at, currency: '', value: String(value), organic: String(organic), events });
    for (const { at, currency, value, organic } of this.revenues.values())
      outcomes.push({
        target: 'revenue',
        ...at,
        currency,
        value: decimalText(value),
        organic: decimalText(organic),
        events: 0,
      });
    this.counts.clear();
    this.revenues.clear();
    return outcomes;
  }

  private isUnpaid({ lt_channel, lt_channel_type }: OutcomeFields, spelling: number): boolean {
    let unpaid = this.unpaid.get(spelling);
    if (unpaid === undefined) {
      unpaid = isUnpaidTouch(lt_channel ?? '', lt_channel_type ?? '');
      this.unpaid.set(spelling, unpaid);
    }
    return unpaid;
  }

  private goal(key: string, name: string, at: At): Count {
    let row = this.counts.get(key);
    if (row === undefined)
      this.counts.set(key, (row = { target: `goal:${name}`, at, value: 0, organic: 0, events: 0 }));
    return row;
  }

  private revenue(dayAndPlace: string, currency: string, at: At): Revenue {
    const key = `${dayAndPlace}:${currency}`;
    let row = this.revenues.get(key);
    if (row === undefined) this.revenues.set(key, (row = { at, currency, value: 0n, organic: 0n }));
    return row;
  }
}

function atOf({ geo_country, geo_region, geo_city }: OutcomeFields, day: number, dimensions: DimensionIds): At {
  const place = dimensions[KIND.geo];
  return { day, place, country: geo_country ?? '', region: geo_region ?? '', city: geo_city ?? '' };
}

function count(row: Count, organic: boolean): void {
  row.value++;
  if (organic) row.organic++;
}

function pay(row: Revenue, value: string, organic: boolean): void {
  const amount = signedMillionths(value);
  row.value += amount;
  if (organic) row.organic += amount;
}
