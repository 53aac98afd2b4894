import { SEVERITIES, type EntityType, type Severity } from '#contracts/integrity/severity.js';
import type { NetworkType } from '../networks/network-types.js';

export type UaClass = 'bot' | 'automation' | 'in_app' | 'mobile' | 'desktop' | 'unknown';

/**
 * Whether a click on the channel costs money. Unpaid by its name or type wins; else paid by its family or by cost rows;
 * else nothing is known of it (`unmatched`): it stands in a refund claim, without money.
 */
export type ChannelStanding = 'paid' | 'unpaid' | 'unmatched';

/** A session as integrity counts it: `distinct_id` + network, gaps under 30 minutes. Narrower than the session of reports. */
export interface TrafficSession {
  /** Unique within the asset. */
  readonly key: string;
  /** `distinct_id`. */
  readonly visitor: string;
  /** `203.0.113.0/24` or `2001:db8:1::/48`; '' without an address. */
  readonly net: string;
  /** Of the first event: `203.0.113.7` or `2001:db8:1:2::/64`; '' without an address. */
  readonly host: string;
  readonly asn: number | null;
  readonly asnOrg: string | null;
  /** Of this session: relays are told by its browser too. `reserved` is never scored. */
  readonly networkType: NetworkType;
  /** Slug of a known name, else the name as given; '' when there is none. Of the first event. */
  readonly channel: string;
  readonly standing: ChannelStanding;
  readonly uaClass: UaClass;
  /** Canonical family, '' when unknown. */
  readonly browser: string;
  readonly os: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Local day of the first event, days since 1970. */
  readonly day: number;
  /** Local hour of the first event, 0 to 23. */
  readonly hour: number;
  readonly events: number;
  readonly conversions: number;
  /** Events that are no page views. */
  readonly otherEvents: number;
  /** Times of the page views of the landing path, ascending, milliseconds since 1970. */
  readonly landingHits: readonly number[];
  readonly distinctPaths: number;
  /** A digest of the sequence of paths; '' with under two distinct paths. */
  readonly pathSignature: string;
  /** `geo_country` of the first event that has one; ''. */
  readonly country: string;
  /** Of a known `global_user_id` that converted before this session. */
  readonly convertedBefore: boolean;
}

export { SEVERITIES, type EntityType, type Severity };
export type IvtClass = 'GIVT' | 'SIVT';

/** In the order D01 to D16. */
export const DETECTORS = [
  'declared_bot',
  'hosting_network',
  'click_flood',
  'repeat_click',
  'no_engagement',
  'conversion_void',
  'path_template',
  'regular_interval',
  'night_flat',
  'clock_locked',
  'burst',
  'id_churn',
  'ua_impossible',
  'geo_conflict',
  'network_hopping',
  'paid_only',
] as const;
export type Detector = (typeof DETECTORS)[number];

/** Why an entity was flagged. Numbers as text: percentages with one decimal and `%`, counts whole, ratios with two decimals. */
export interface Reason {
  code: Detector;
  observed: string;
  /** The usual value or the limit. */
  limit: string;
  /** Share of the score, 0 to 1; all of an assessment add up to 1. */
  contribution: number;
  /** One sentence for people, as in the reasons of the dispute file, without the code. */
  sentence: string;
}

/** What is not scored whatever it does: offices, uptime monitors, verified crawlers. */
export interface AllowRule {
  id: string;
  /** A CIDR in canonical text, or null. */
  cidr: string | null;
  asn: number | null;
  /** The first local day (days since 1970) on which it no longer holds; null: it holds for ever. */
  untilDay: number | null;
}

/** An entity on one local day and channel: what becomes one `detection` of the ledger. */
export interface Detection {
  entityType: EntityType;
  /** The net, the host, `AS` number as text, or the distinct_id. */
  entityKey: string;
  entityId: string;
  day: number;
  /** First and last local day of the strongest window that holds the day. */
  window: readonly [number, number];
  channel: string;
  standing: ChannelStanding;
  asn: number | null;
  asnOrg: string | null;
  networkType: NetworkType;
  severity: Severity;
  ivtClass: IvtClass;
  /** 0 to 1. */
  p: number;
  /** `flaggedSessions` is 0 below `likely`, and counts each session once over all entities. */
  counts: {
    sessions: number;
    paidSessions: number;
    flaggedSessions: number;
    flaggedEvents: number;
    conversions: number;
  };
  /** Of all sixteen detectors in the strongest window. */
  scores: Readonly<Record<Detector, number>>;
  /** Strongest first; detectors with a score above 0. */
  reasons: readonly Reason[];
  /** Sessions of the entity on that day and channel; `flagged` are those that count for it. */
  sessions: readonly TrafficSession[];
  flagged: readonly TrafficSession[];
  /** Set when an allow rule set the severity to clean: what it would have been. */
  allowed?: { rule: string; severity: Severity };
}

export interface AssessmentRequest {
  /** All sessions of the asset on `firstDay - 6` to `min(lastDay + 6, throughDay)`, by start. */
  sessions: readonly TrafficSession[];
  /** Local days whose detections are wanted, both inclusive. */
  firstDay: number;
  lastDay: number;
  /** The newest local day that has data or is under way: no window ends later. */
  throughDay: number;
  allow: readonly AllowRule[];
  assetId: string;
}

export interface Assessment {
  /** Suspected and above, and what was allowed; by day, entity, channel. */
  detections: readonly Detection[];
}
