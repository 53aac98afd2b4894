import type { NetworkType } from '../networks/network-types.js';
import { isPooled, scorePools } from './asn-pool.js';
import { Baseline, NetworkSample } from './baseline.js';
import type { Evidence } from './combine.js';
import { DaySlices, groupBy } from './day-slices.js';
import { EntityWindow } from './entity-window.js';
import { scoresHosts } from './guards.js';
import { severityBesideHosts } from './host-before-network.js';
import type { Judge, Judgement } from './judge.js';
import { LIMITS } from './limits.js';
import { isFlagged } from './severity.js';
import type { EntityType, Severity, TrafficSession } from './traffic.js';

/** An entity that is suspected or worse in the window of seven local days ending with `lastDay`. */
export interface WindowVerdict {
  readonly lastDay: number;
  readonly severity: Severity;
  readonly evidence: Evidence;
  readonly asn: number | null;
  readonly asnOrg: string | null;
  readonly networkType: NetworkType;
  /** Of the entity in the window, in order. */
  readonly sessions: readonly TrafficSession[];
}

export interface EntityVerdicts {
  readonly type: EntityType;
  readonly key: string;
  /** By window. */
  readonly verdicts: WindowVerdict[];
}

interface Network {
  readonly slices: DaySlices;
  readonly hosts: readonly (readonly [string, DaySlices])[];
  readonly sample: NetworkSample;
}

/** Scores all entities of an asset, window by window in ascending order. */
export class WindowScorer {
  readonly entities = new Map<string, EntityVerdicts>();
  private readonly networks: [string, Network][] = [];
  private readonly visitors: [string, DaySlices][] = [];

  /** @param sessions in order, without those of reserved addresses */
  constructor(sessions: readonly TrafficSession[]) {
    for (const [net, ofNet] of groupBy(sessions, (session) => session.net)) {
      if (net === '') continue;
      const slices = new DaySlices(ofNet);
      this.networks.push([net, { slices, hosts: hostsOf(ofNet), sample: new NetworkSample(slices) }]);
    }
    for (const [visitor, ofVisitor] of groupBy(sessions, (session) => session.visitor)) {
      if (visitor !== '' && ofVisitor.length >= LIMITS.severity.suspected.minSessions)
        this.visitors.push([visitor, new DaySlices(ofVisitor)]);
    }
  }

  /** What is usual in the window that ends with a day. */
  baselineOf(lastDay: number): Baseline {
    const sampled: TrafficSession[] = [];
    for (const [, { sample }] of this.networks) sample.addTo(sampled, firstOf(lastDay), lastDay);
    return new Baseline(sampled);
  }

  score(lastDay: number, judge: Judge): void {
    const first = firstOf(lastDay);
    const least = LIMITS.severity.suspected.minSessions;
    const judged: [string, Judgement][] = [];
    const pooled: EntityWindow[] = [];
    for (const [net, network] of this.networks) {
      const sessions = network.slices.between(first, lastDay);
      if (sessions.length === 0) continue;
      if (sessions.length < least) {
        if (sessions.some(inDataCentre)) pooled.push(new EntityWindow('network', sessions));
        continue;
      }
      const judgement = this.judgeNetwork(network, sessions, lastDay, judge);
      pooled.push(judgement.window);
      judged.push([net, judgement]);
    }
    const raised = this.scorePools(pooled.filter(isPooled), lastDay, judge);
    for (const [net, { severity, ...judgement }] of judged) {
      const isRaised = severity === 'suspected' && raised.has(net);
      this.note('network', net, { ...judgement, severity: isRaised ? 'likely' : severity }, lastDay);
    }
    for (const [visitor, slices] of this.visitors) {
      const sessions = slices.between(first, lastDay);
      if (sessions.length >= least) this.note('visitor', visitor, judge('visitor', sessions), lastDay);
    }
  }

  private judgeNetwork(
    { hosts }: Network,
    sessions: readonly TrafficSession[],
    lastDay: number,
    judge: Judge,
  ): Judgement {
    const judgement = judge('network', sessions);
    if (!scoresHosts(judgement.window.networkType)) return judgement;
    const flagged = new Set<string>();
    for (const [host, ofHost] of hosts) {
      const hostSessions = ofHost.between(firstOf(lastDay), lastDay);
      if (hostSessions.length < LIMITS.guards.minHostSessions) continue;
      const ofOne = judge('host', hostSessions);
      if (isFlagged(ofOne.severity)) flagged.add(host);
      this.note('host', host, ofOne, lastDay);
    }
    return { ...judgement, severity: severityBesideHosts(judgement, flagged, judge) };
  }

  /** @returns networks of pools that are likely or confirmed */
  private scorePools(pooled: readonly EntityWindow[], lastDay: number, judge: Judge): Set<string> {
    const raised = new Set<string>();
    for (const pool of scorePools(pooled, judge)) {
      this.note('asn', String(pool.asn), pool, lastDay);
      if (isFlagged(pool.severity)) for (const net of pool.alike) raised.add(net);
    }
    return raised;
  }

  private note(type: EntityType, key: string, { severity, evidence, window }: Judgement, lastDay: number): void {
    if (severity === 'clean') return;
    const id = `${type} ${key}`;
    let entity = this.entities.get(id);
    if (entity === undefined) this.entities.set(id, (entity = { type, key, verdicts: [] }));
    const { asn, asnOrg, networkType, sessions } = window;
    entity.verdicts.push({ lastDay, severity, evidence, asn, asnOrg, networkType, sessions });
  }
}

function firstOf(lastDay: number): number {
  return lastDay - LIMITS.windowDays + 1;
}

function inDataCentre({ networkType }: TrafficSession): boolean {
  return networkType === 'hosting' || networkType === 'vpn';
}

/** Hosts that can reach the fewest sessions for a verdict. */
function hostsOf(sessions: readonly TrafficSession[]): [string, DaySlices][] {
  const { minHostSessions } = LIMITS.guards;
  if (sessions.length < minHostSessions) return [];
  return [...groupBy(sessions, ({ host }) => host)]
    .filter(([, ofHost]) => ofHost.length >= minHostSessions)
    .map(([host, ofHost]) => [host, new DaySlices(ofHost)]);
}
