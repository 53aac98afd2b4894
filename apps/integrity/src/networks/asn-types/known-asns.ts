import type { NetworkType } from '../network-types.js';
import { ADMINISTRATIONS } from './administrations.js';
import { CDNS } from './cdns.js';
import { CLOUDS } from './clouds.js';
import { COMPANIES } from './companies.js';
import { HOSTERS } from './hosters.js';
import { ISPS_AMERICAS } from './isps-americas.js';
import { ISPS_ASIA_AFRICA } from './isps-asia-africa.js';
import { ISPS_EUROPE } from './isps-europe.js';
import type { KnownAsn } from './known-asn.js';
import { MOBILE_CARRIERS } from './mobile-carriers.js';
import { RESEARCH_NETWORKS } from './research-networks.js';
import { SEARCH_ENGINES } from './search-engines.js';
import { TOR_EXITS } from './tor-exits.js';
import { VPNS } from './vpns.js';

/** The hand-written table, list by list. */
export const KNOWN_ASN_LISTS: readonly (readonly [NetworkType, readonly KnownAsn[]])[] = [
  ['hosting', CLOUDS],
  ['hosting', HOSTERS],
  ['cdn', CDNS],
  ['vpn', VPNS],
  ['tor', TOR_EXITS],
  ['mobile', MOBILE_CARRIERS],
  ['isp', ISPS_AMERICAS],
  ['isp', ISPS_EUROPE],
  ['isp', ISPS_ASIA_AFRICA],
  ['education', RESEARCH_NETWORKS],
  ['government', ADMINISTRATIONS],
  ['business', COMPANIES],
  ['search_engine', SEARCH_ENGINES],
];

/** Types of networks that people know by number, because their names mislead or say nothing. */
export const KNOWN_ASNS: ReadonlyMap<number, NetworkType> = new Map(
  KNOWN_ASN_LISTS.flatMap(([type, asns]) => asns.map(([asn]) => [asn, type] as const)),
);
