import { listAs, scoresHosts, widens, type HostCount } from '../detection/guards.js';
import { addressSortKey } from '../networks/address-order.js';
import type { NetworkType } from '../networks/network-types.js';

/** A network or host that is likely or confirmed on a day of the range. */
export interface FlaggedEntity {
  /** CIDR of a network, address or /64 of a host. */
  key: string;
  asn: number | null;
  asnOrg: string | null;
  networkType: NetworkType;
  /** Flagged events of the range that count under it. */
  events: number;
}

/** What is flagged of a network. */
export interface FlaggedNetwork {
  /** The network itself. */
  network: FlaggedEntity | undefined;
  hosts: readonly FlaggedEntity[];
  /** Somebody in it is on the allow-list: it is never listed whole. */
  isProtected: boolean;
}

/** A host on the flagged days of its network in the range. */
export interface HostSessions extends HostCount {
  /** Flagged events of the range, whichever entity they count under. */
  events: number;
}

/** What a block list names. */
export interface BlockedPrefix {
  /** `203.0.113.0/24`, `203.0.113.7/32`, `2001:db8:1::/48` or `2001:db8:1:2::/64`. */
  cidr: string;
  isHost: boolean;
  asn: number | null;
  asnOrg: string | null;
  networkType: string;
  hits: number;
}

/**
 * Networks and hosts to be blocked, most flagged events first, then IPv4 first, by number. Guards 2 and 3 are applied over
 * all flagged days of the range: a small early window may have widened a host to its network.
 *
 * @param hostsOf all hosts of networks for which `needsHosts`; a network without an item has no sessions any more
 */
export function blockedPrefixes(
  networks: ReadonlyMap<string, FlaggedNetwork>,
  hostsOf: ReadonlyMap<string, readonly HostSessions[]>,
): BlockedPrefix[] {
  const blocked: BlockedPrefix[] = [];
  for (const [net, flagged] of networks) {
    const { network, hosts } = flagged;
    const [known = network] = hosts;
    if (known === undefined) continue;
    const counted = needsHosts(flagged) ? hostsOf.get(net) : undefined;
    const listed = listedAs(flagged, counted);
    if (listed.network) {
      const events = counted?.reduce((sum, host) => sum + host.events, 0) ?? eventsOf(flagged);
      blocked.push(prefixOf({ ...(network ?? known), key: net, events }, false));
    }
    for (const key of listed.hosts) {
      const host = hosts.find((one) => one.key === key) ?? { ...known, key, events: 0 };
      const events = counted?.find((one) => one.host === key)?.events ?? host.events;
      blocked.push(prefixOf({ ...host, events }, true));
    }
  }
  return inOrder(blocked);
}

function inOrder(blocked: readonly BlockedPrefix[]): BlockedPrefix[] {
  return blocked
    .map((prefix) => ({ prefix, key: addressSortKey(prefix.cidr) }))
    .sort((a, b) => b.prefix.hits - a.prefix.hits || (a.key < b.key ? -1 : 1))
    .map(({ prefix }) => prefix);
}

/** Whether its hosts decide about what is listed. */
export function needsHosts({ network, hosts, isProtected }: FlaggedNetwork): boolean {
  return isProtected || hosts.length > 0 || network === undefined || scoresHosts(network.networkType);
}

function listedAs(
  { network, hosts, isProtected }: FlaggedNetwork,
  counted: readonly HostSessions[] | undefined,
): { network: boolean; hosts: readonly string[] } {
  const known = network ?? hosts[0];
  if (known === undefined) return { network: false, hosts: [] };
  if (isProtected)
    return { network: false, hosts: counted?.filter((host) => widens([host])).map(({ host }) => host) ?? [] };
  if (counted === undefined)
    return network === undefined ? { network: false, hosts: hosts.map(({ key }) => key) } : ALONE;
  return listAs(counted, { networkFlagged: network !== undefined, networkType: known.networkType });
}

const ALONE = { network: true, hosts: [] };

function eventsOf({ network, hosts }: FlaggedNetwork): number {
  return hosts.reduce((sum, { events }) => sum + events, network?.events ?? 0);
}

function prefixOf({ key, asn, asnOrg, networkType, events }: FlaggedEntity, isHost: boolean): BlockedPrefix {
  return { cidr: key.includes('/') ? key : `${key}/32`, isHost, asn, asnOrg, networkType, hits: events };
}
