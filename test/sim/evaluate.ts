import type { Assessment, Detection, TrafficSession } from '#apps/integrity/src/detection/traffic.js';
import type { Ratio } from './figures.js';
import type { SimulatedTraffic } from './scenario.js';

/** Counts of one run, by the name of the figure; `seeds.ts` adds them up. */
type RunCounts = Map<string, Ratio>;

/** An entity needs so many sessions in the whole range to count in figures of networks. */
const FEWEST_SESSIONS = 5;

interface Crowd {
  sessions: number;
  bots: number;
  attributableBots: number;
  profiles: Map<string, number>;
}

/** A mistake about a network or host, for whoever looks for its cause. */
export interface Mistake {
  kind: 'false_network' | 'false_host' | 'false_visitor' | 'missed_network';
  entity: string;
  profile: string;
  sessions: number;
  /** Part of its sessions. */
  bots: number;
  severity: string;
  p: number;
  networkType: string;
  reasons: string;
}

export interface Evaluation {
  counts: RunCounts;
  mistakes: Mistake[];
}

/** Compares what detection says of a traffic with the truth. */
export function evaluate(
  traffic: SimulatedTraffic,
  sessions: readonly TrafficSession[],
  assessment: Assessment,
): Evaluation {
  const counts: RunCounts = new Map();
  const mistakes: Mistake[] = [];
  const count = (name: string, hit: boolean, weight = 1): void => {
    const ratio = counts.get(name) ?? { hits: 0, of: 0 };
    ratio.of += weight;
    if (hit) ratio.hits += weight;
    counts.set(name, ratio);
  };
  const actorOf = (session: TrafficSession) => {
    const actor = traffic.actors.get(session.visitor);
    if (actor === undefined) throw new Error(`nobody is behind ${session.visitor}`);
    return actor;
  };

  const networks = crowds(sessions, (session) => session.net, actorOf);
  const hosts = crowds(sessions, (session) => session.host, actorOf);
  const visitors = crowds(sessions, (session) => session.visitor, actorOf);
  const isBotCrowd = ({ sessions: all, bots }: Crowd): boolean => bots * 2 >= all;

  const worst = strongest(assessment.detections);
  const flaggedHostsOf = new Map<string, number>();
  const accused = new Map<string, boolean>();
  const netOfHost = new Map(sessions.map(({ host, net }) => [host, net]));
  for (const detection of worst.values()) {
    const { entityType, entityKey, severity } = detection;
    const crowd =
      entityType === 'network' ? networks.get(entityKey) : entityType === 'host' ? hosts.get(entityKey) : entityType === 'visitor' ? visitors.get(entityKey) : undefined; // prettier-ignore
    if (crowd === undefined) continue;
    if (entityType === 'network') count(`calibration/${Math.min(9, Math.floor(detection.p * 10))}`, isBotCrowd(crowd));
    if (severity !== 'likely' && severity !== 'confirmed') continue;
    const right = isBotCrowd(crowd);
    if (entityType !== 'network' || crowd.sessions >= FEWEST_SESSIONS) count(`${entityType}_precision`, right);
    if (severity === 'confirmed') count('confirmed_precision', right);
    if (entityType === 'host') {
      const net = netOfHost.get(entityKey) ?? '';
      flaggedHostsOf.set(net, (flaggedHostsOf.get(net) ?? 0) + crowd.bots);
      accused.set(net, accused.get(net) === true || severity === 'confirmed');
    }
    if (!right) mistakes.push(mistakeOf(`false_${entityType}` as Mistake['kind'], crowd, detection));
  }

  for (const [net, crowd] of networks) {
    const detection = worst.get(`network ${net}`);
    const severity = detection?.severity ?? 'clean';
    const flagged = severity === 'likely' || severity === 'confirmed';
    if (crowd.bots === 0) {
      // Whether the network itself or one of its hosts.
      const isConfirmed = severity === 'confirmed' || accused.get(net) === true;
      count('false_flags_of_networks', flagged || accused.has(net));
      count('confirmed_of_networks_of_people', isConfirmed);
      count(`confirmed_people/${mainProfile(crowd)}`, isConfirmed);
      count(`suspected_people/${mainProfile(crowd)}`, severity !== 'clean');
    }
    if (crowd.sessions < FEWEST_SESSIONS || crowd.attributableBots * 2 < crowd.sessions) continue;
    const found = flagged || (flaggedHostsOf.get(net) ?? 0) * 2 >= crowd.bots;
    count('network_recall', found);
    count('network_recall_without_hosts', flagged);
    if (!found) mistakes.push(mistakeOf('missed_network', crowd, detection, net));
  }

  const flagged = new Set(assessment.detections.flatMap((one) => one.flagged.map(({ key }) => key)));
  const prices = new Map(traffic.site.channels.map(({ name, clickPrice }) => [slug(name), clickPrice]));
  let bots = 0;
  for (const session of sessions) {
    const { isBot, attributable, profile } = actorOf(session);
    const isFlagged = flagged.has(session.key);
    const price = (prices.get(session.channel) ?? 0) * session.landingHits.length;
    if (isFlagged) count('session_precision', isBot);
    if (isFlagged && price > 0) count('spend_precision', isBot, price);
    if (!isBot) {
      count(`flagged_people/${profile}`, isFlagged);
      continue;
    }
    bots++;
    count('session_recall', isFlagged);
    count(`recall/${profile}`, isFlagged);
    if (attributable) count('session_recall_attributable', isFlagged);
    if (attributable && price > 0) count('spend_recall_attributable', isFlagged, price);
  }
  counts.set('bot_share', { hits: bots, of: sessions.length });
  return { counts, mistakes };
}

function crowds(
  sessions: readonly TrafficSession[],
  keyOf: (session: TrafficSession) => string,
  actorOf: (session: TrafficSession) => { profile: string; isBot: boolean; attributable: boolean },
): Map<string, Crowd> {
  const crowdsByKey = new Map<string, Crowd>();
  for (const session of sessions) {
    const key = keyOf(session);
    if (key === '') continue;
    let crowd = crowdsByKey.get(key);
    if (crowd === undefined) {
      crowd = { sessions: 0, bots: 0, attributableBots: 0, profiles: new Map() };
      crowdsByKey.set(key, crowd);
    }
    const { profile, isBot, attributable } = actorOf(session);
    crowd.sessions++;
    if (isBot) crowd.bots++;
    if (isBot && attributable) crowd.attributableBots++;
    crowd.profiles.set(profile, (crowd.profiles.get(profile) ?? 0) + 1);
  }
  return crowdsByKey;
}

/** By entity, the detection of its worst day. */
function strongest(detections: readonly Detection[]): Map<string, Detection> {
  const rank = { clean: 0, suspected: 1, likely: 2, confirmed: 3 };
  const byEntity = new Map<string, Detection>();
  for (const detection of detections) {
    const key = `${detection.entityType} ${detection.entityKey}`;
    const other = byEntity.get(key);
    const higher = other === undefined ? 1 : rank[detection.severity] - rank[other.severity] || detection.p - other.p;
    if (higher > 0) byEntity.set(key, detection);
  }
  return byEntity;
}

function mainProfile({ profiles }: Crowd): string {
  return [...profiles].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

function mistakeOf(kind: Mistake['kind'], crowd: Crowd, detection?: Detection, entity = ''): Mistake {
  return {
    kind,
    entity: detection?.entityId ?? entity,
    profile: mainProfile(crowd),
    sessions: crowd.sessions,
    bots: crowd.bots / crowd.sessions,
    severity: detection?.severity ?? 'clean',
    p: detection?.p ?? 0,
    networkType: detection?.networkType ?? '',
    reasons: (detection?.reasons ?? [])
      .map(({ code, observed, limit }) => `${code}=${detection?.scores[code].toFixed(2)}(${observed}/${limit})`)
      .join(' '),
  };
}

function slug(name: string): string {
  return name.toLowerCase().replaceAll(' ', '_');
}
