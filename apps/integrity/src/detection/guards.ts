import type { NetworkType } from '../networks/network-types.js';
import { categoriesOf, type Evidence } from './combine.js';
import type { EntityWindow } from './entity-window.js';
import { LIMITS } from './limits.js';
import { isFlagged, lower } from './severity.js';
import type { Severity } from './traffic.js';

/** Many people behind one address. */
const SHARED: ReadonlySet<NetworkType> = new Set(['mobile', 'relay', 'cdn', 'education', 'business', 'government']);

/** Anybody may stand behind an address of these, so that nothing about them is certain. */
const NEVER_CONFIRMED: ReadonlySet<NetworkType> = new Set(['mobile', 'relay']);

/** An address there belongs to one home or office, so that hosts are scored before their network. */
const BY_HOST: ReadonlySet<NetworkType> = new Set(['isp', 'business', 'government', 'unknown']);

export function scoresHosts(networkType: NetworkType): boolean {
  return BY_HOST.has(networkType);
}

/**
 * Guard 1, shared addresses. Mobile, relay, CDN, education, business and government networks without evidence from lists or
 * time stay at `suspected`; so do home networks half of whose visits are from browsers inside other apps, because many
 * operators serve homes and phones from one AS. Night hours alone lift them no higher than `likely`, since call centres
 * work at night; carriers and relays are never confirmed.
 *
 * A visitor id is one browser wherever it is, so its own evidence (hopping between networks or countries) lifts the guard.
 */
export function guardShared(severity: Severity, window: EntityWindow, evidence: Evidence): Severity {
  if (!isFlagged(severity) || !isShared(window)) return severity;
  const { findings } = evidence;
  const categories = categoriesOf(evidence);
  const strong = LIMITS.severity.evidence;
  const ofVisitor =
    window.entityType === 'visitor' &&
    (findings.geo_conflict.score >= strong || findings.network_hopping.score >= strong);
  if (!ofVisitor && !categories.has('lists') && !categories.has('time')) return lower(severity, 'suspected');
  if (NEVER_CONFIRMED.has(window.networkType)) return lower(severity, 'likely');
  return findings.declared_bot.score >= LIMITS.severity.declaredBot ? severity : lower(severity, 'likely');
}

function isShared({ networkType, inApp, n }: EntityWindow): boolean {
  return SHARED.has(networkType) || (BY_HOST.has(networkType) && inApp >= LIMITS.guards.inAppShare * n);
}

/** Sessions of one host of a /24 or /48: those that count as invalid traffic, and the others. */
export interface HostCount {
  readonly host: string;
  readonly flagged: number;
  readonly unflagged: number;
}

/** Guard 3, collateral: a host stands for its whole network if fewer than 10% of the network's sessions are unflagged. */
export function widens(hosts: readonly HostCount[]): boolean {
  let flagged = 0;
  let unflagged = 0;
  for (const host of hosts) {
    flagged += host.flagged;
    unflagged += host.unflagged;
  }
  return flagged > 0 && unflagged < LIMITS.guards.mostUnflagged * (flagged + unflagged);
}

/**
 * Guards 2 and 3 over all flagged days of a range: whether a file lists a network, or which of its hosts; never both.
 *
 * @param hosts all hosts of the network on those days
 * @param networkFlagged whether the network itself was likely or confirmed on one of them
 */
export function listAs(
  hosts: readonly HostCount[],
  { networkFlagged, networkType }: { networkFlagged: boolean; networkType: NetworkType },
): { network: boolean; hosts: string[] } {
  if ((networkFlagged && !scoresHosts(networkType)) || widens(hosts)) return { network: true, hosts: [] };
  return {
    network: false,
    hosts: hosts
      .filter((host) => widens([host]))
      .map(({ host }) => host)
      .sort(),
  };
}
