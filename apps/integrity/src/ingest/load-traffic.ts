import { channelKey } from '#contracts/channels/channel-key.js';
import { channelMapping, type ChannelMapping } from '#contracts/channels/classify-channel.js';
import { date, microseconds } from '#ingest/sql.js';
import { channelStanding } from '../detection/channel-standing.js';
import type { TrafficSession, UaClass } from '../detection/traffic.js';
import type { NetworkKnowledge } from '../networks/network-knowledge.js';
import type { NetworkType } from '../networks/network-types.js';
import type { Query } from '../scoring/query.js';
import { LocalHours } from './local-hours.js';
import { landingTimes, unpackViews } from './views.js';

/** What the sessions of an asset are read with. */
export interface TrafficContext {
  hours: LocalHours;
  mapping: ChannelMapping;
  /** Keys of the channels with cost rows. */
  costChannels: ReadonlySet<string>;
  organisationOf: (asn: number) => string | null;
}

export async function trafficContext(
  query: Query,
  assetId: string,
  networks: Pick<NetworkKnowledge, 'organisationOf'>,
): Promise<TrafficContext> {
  const [asset] = await query<{ timezone: string }>('SELECT timezone FROM access.asset WHERE asset_id = $1', [assetId]);
  const names = await query<{ name: string; family: string }>(
    'SELECT name, family FROM imports.channel_mapping WHERE asset_id = $1',
    [assetId],
  );
  const costs = await query<{ channel: string }>(
    'SELECT DISTINCT channel FROM integrity.cost_day WHERE asset_id = $1',
    [assetId],
  );
  return {
    hours: new LocalHours(asset?.timezone ?? 'UTC'),
    mapping: channelMapping(names),
    costChannels: new Set(costs.map(({ channel }) => channel)),
    organisationOf: (asn) => networks.organisationOf(asn),
  };
}

/** What many sessions share: network type, channel, unpaid, class, browser and system of the UA, country. */
type Shared = [NetworkType, string, boolean, UaClass, string, string, string];

interface Row {
  session_key: string;
  visitor: string;
  net: string;
  host: string;
  asn: string | null;
  /** `Shared` as JSON: the same text comes again and again. */
  shared: string;
  started_us: string;
  ended_us: string;
  events: number;
  conversions: number;
  other_events: number;
  landing_hits: number;
  distinct_paths: number;
  /** Cut behind the time of the first one when nothing more is needed. */
  views: Buffer;
  path_sig: string;
  converted_before: boolean;
}

/**
 * The sessions that start on some local days, both inclusive (days since 1970), by start, then key. A day is read at a
 * time, so that the rows of a month are never in memory beside the sessions.
 */
export async function loadTraffic(
  query: Query,
  assetId: string,
  fromDay: number,
  toDay: number,
  context: TrafficContext,
): Promise<TrafficSession[]> {
  const sessions: TrafficSession[] = [];
  const make = sessionMaker(context);
  for (let day = fromDay; day <= toDay; day++) {
    const rows = await query<Row>(
      `SELECT s.session_key, s.visitor, s.net, s.host, s.asn,
              json_build_array(s.network_type, s.channel, s.unpaid, s.ua_class, s.ua_browser, s.ua_os, s.geo_country)::text AS shared,
              ${microseconds('s.started_at')} AS started_us, ${microseconds('s.ended_at')} AS ended_us, s.events,
              s.conversions, s.other_events, s.landing_hits, s.distinct_paths,
              CASE WHEN s.landing_hits > 1 THEN s.views ELSE substr(s.views, 1, 8) END AS views, s.path_sig,
              coalesce(c.first_at < s.started_at, false) AS converted_before
         FROM integrity.ivt_session s LEFT JOIN integrity.converter c USING (asset_id, global_user_id)
        WHERE s.asset_id = $1 AND s.day = $2`,
      [assetId, date(day)],
    );
    for (const row of rows) sessions.push(make(row, day));
  }
  return sessions.sort((a, b) => a.startedAt - b.startedAt || (a.key < b.key ? -1 : 1));
}

/** What sessions have in common is made once, for speed and memory. */
function sessionMaker(context: TrafficContext): (row: Row, day: number) => TrafficSession {
  const { hours } = context;
  const heads = new Map<string, SharedHead>();
  const places = new Map<string, Place>();
  return (row, day) => {
    let head = heads.get(row.shared);
    if (head === undefined) heads.set(row.shared, (head = sharedHead(row.shared, context)));
    let place = places.get(row.host);
    if (place?.asnText !== row.asn) places.set(row.host, (place = placeOf(row, context)));
    const startedUs = Number(row.started_us);
    return {
      key: row.session_key,
      visitor: row.visitor,
      net: place.net,
      host: place.host,
      asn: place.asn,
      asnOrg: place.asnOrg,
      networkType: head.networkType,
      channel: head.channel,
      standing: head.standing,
      uaClass: head.uaClass,
      browser: head.browser,
      os: head.os,
      startedAt: milliseconds(startedUs),
      endedAt: milliseconds(Number(row.ended_us)),
      day,
      hour: hours.at(startedUs),
      events: row.events,
      conversions: row.conversions,
      otherEvents: row.other_events,
      landingHits: landingHits(row),
      distinctPaths: row.distinct_paths,
      pathSignature: row.path_sig,
      country: head.country,
      convertedBefore: row.converted_before,
    };
  };
}

type SharedHead = Pick<
  TrafficSession,
  'networkType' | 'channel' | 'standing' | 'uaClass' | 'browser' | 'os' | 'country'
>;

function sharedHead(text: string, { mapping, costChannels }: TrafficContext): SharedHead {
  const [networkType, channel, unpaid, uaClass, browser, os, country] = JSON.parse(text) as Shared;
  const standing = channelStanding(channel, unpaid, mapping, costChannels.has(channelKey(channel)));
  return { networkType, channel, standing, uaClass, browser, os, country };
}

interface Place extends Pick<TrafficSession, 'net' | 'host' | 'asn' | 'asnOrg'> {
  asnText: string | null;
}

function placeOf({ net, host, asn: asnText }: Row, { organisationOf }: TrafficContext): Place {
  const asn = asnText === null ? null : Number(asnText);
  return { net, host, asn, asnOrg: asn === null ? null : organisationOf(asn), asnText };
}

/** One landing hit is the first view: the others need no look. */
function landingHits({ landing_hits: hits, views }: Row): number[] {
  if (hits === 0) return [];
  if (hits === 1) return [milliseconds(views.readDoubleBE(0))];
  return landingTimes(unpackViews(views)).map(milliseconds);
}

function milliseconds(us: number): number {
  return Math.floor(us / 1000);
}
