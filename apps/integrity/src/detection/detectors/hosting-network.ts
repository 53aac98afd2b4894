import type { NetworkType } from '../../networks/network-types.js';
import { LIMITS } from '../limits.js';
import { SILENT, type DetectorFunction } from './finding.js';

const KINDS: Partial<Record<NetworkType, string>> = {
  hosting: 'a hosting network',
  tor: 'a Tor exit network',
  vpn: 'a VPN network',
  relay: 'a relay',
  cdn: 'a content delivery network',
};

/**
 * D02, lists, GIVT. Where people seldom are: s = 1 for a hosting network, .9 for Tor, .6 for a VPN, .2 for a relay or CDN,
 * else 0. Source: MRC Invalid Traffic Detection and Filtration Guidelines, known data-centre traffic. Observed: the
 * network type; there is no limit.
 */
export const hostingNetwork: DetectorFunction = ({ networkType, asn, entityType }) => {
  const scores: Readonly<Partial<Record<NetworkType, number>>> = LIMITS.hostingNetwork;
  const score = scores[networkType] ?? 0;
  if (score === 0) return SILENT;
  const name = asn === null ? 'the network' : `AS${asn}`;
  const kind = KINDS[networkType] ?? networkType;
  return {
    score,
    observed: networkType,
    limit: '',
    sentence: entityType === 'visitor' ? `most visits come from ${kind}` : `${name} is ${kind}`,
  };
};
