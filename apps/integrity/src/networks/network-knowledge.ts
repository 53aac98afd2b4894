import { formatAddress, parseAddress, type Address } from './address.js';
import type { AsnTable } from './asn-table.js';
import { KNOWN_ASNS } from './asn-types/known-asns.js';
import { typeOfName } from './keyword-rules.js';
import { loadAsnTable } from './load-asn-table.js';
import { hostKey, networkKey } from './network-key.js';
import { readNetworkLists, type NetworkList } from './network-lists.js';
import type { NetworkType } from './network-types.js';
import { readOverrides, type NetworksConfig } from './networks.config.js';
import { PrefixMap } from './prefix-map.js';
import { isReserved } from './reserved.js';

/** What is known about one address. */
export interface NetworkOf {
  /** Canonical text. */
  address: string;
  /** The /24 or /48 around it. */
  net: string;
  /** The IPv4 address, or the /64 around an IPv6 address. */
  host: string;
  asn: number | null;
  asnOrg: string | null;
  type: NetworkType;
  /** Not to be scored nor exported. */
  reserved: boolean;
}

export interface NetworkSources {
  table: AsnTable;
  overrides?: NetworkList;
  lists?: NetworkList;
  /** IPv4 addresses from which an AS that nothing is known about is an `isp`. */
  ispMinAddresses: number;
}

/** Prefix lists of these types come before all others: they know single addresses inside the networks of hosters. */
const NARROW_TYPES: ReadonlySet<NetworkType> = new Set(['relay', 'tor', 'vpn']);

/** Where iCloud Private Relay leaves: Cloudflare, Fastly and two numbers of Akamai, one prefix of 23 in the CDN's own. */
const RELAY_EGRESS: ReadonlySet<number> = new Set([13335, 20940, 36183, 54113]);

const SAFARI = /^(mobile )?safari( mobile)?$/i;
const APPLE_SYSTEM = /^(ios|ipados|iphone os|mac ?os( x)?|os x)$/i;

/** Knows AS, organisation and network type of addresses. Holds everything in memory; a look-up takes about a microsecond. */
export class NetworkKnowledge {
  /** YYYY-MM-DD of the ASN data. */
  readonly dataDate: string;
  private readonly table: AsnTable;
  private readonly overrides: NetworkList;
  private readonly lists: NetworkList;
  private readonly ispMinAddresses: number;
  private readonly overridden: PrefixMap<NetworkType>;
  private readonly narrow: PrefixMap<NetworkType>;
  private readonly listed: PrefixMap<NetworkType>;
  private readonly types: (NetworkType | undefined)[];

  constructor({ table, overrides, lists, ispMinAddresses }: NetworkSources) {
    const none: NetworkList = { prefixes: [], asns: new Map() };
    this.table = table;
    this.dataDate = table.dataDate;
    this.types = new Array<NetworkType | undefined>(table.size).fill(undefined);
    this.overrides = overrides ?? none;
    this.lists = lists ?? none;
    this.ispMinAddresses = ispMinAddresses;
    this.overridden = new PrefixMap(this.overrides.prefixes);
    this.narrow = new PrefixMap(this.lists.prefixes.filter(([, type]) => NARROW_TYPES.has(type)));
    this.listed = new PrefixMap(this.lists.prefixes.filter(([, type]) => !NARROW_TYPES.has(type)));
  }

  /**
   * Reads the ASN data and the configured lists; `warn` hears what had to be skipped.
   *
   * @throws ConfigError for wrong overrides; Error without ASN data
   */
  static load(config: NetworksConfig, warn: (message: string) => void = () => undefined): NetworkKnowledge {
    const { table, badLines } = loadAsnTable(config.ASN_DATA_DIR === '' ? undefined : config.ASN_DATA_DIR);
    if (badLines > 0) warn(`${badLines} lines of the ASN data are no ranges and were skipped`);
    return new NetworkKnowledge({
      table,
      overrides: readOverrides(config),
      ...(config.NETWORK_LISTS_DIR === '' ? {} : { lists: readNetworkLists(config.NETWORK_LISTS_DIR, warn) }),
      ispMinAddresses: config.ISP_MIN_ADDRESSES,
    });
  }

  /** Undefined for text that is no address. A reserved address has no AS, and the type `reserved`. */
  lookup(text: string): NetworkOf | undefined {
    const address = parseAddress(text);
    if (address === undefined) return undefined;
    const kept = isReserved(address);
    const place = kept ? -1 : this.table.placeOf(address);
    const type = kept ? 'reserved' : this.typeOf(address, place);
    return {
      address: formatAddress(address),
      net: networkKey(address),
      host: hostKey(address),
      asn: place < 0 ? null : this.table.asnAt(place),
      asnOrg: place < 0 ? null : this.table.nameAt(place),
      type,
      reserved: type === 'reserved',
    };
  }

  private typeOf(address: Address, place: number): NetworkType {
    return (
      this.overridden.find(address) ??
      (place < 0 ? undefined : this.overrides.asns.get(this.table.asnAt(place))) ??
      this.narrow.find(address) ??
      this.listed.find(address) ??
      (place < 0 ? 'unknown' : (this.types[place] ??= this.typeAt(place)))
    );
  }

  private typeAt(place: number): NetworkType {
    const asn = this.table.asnAt(place);
    return (
      KNOWN_ASNS.get(asn) ??
      this.lists.asns.get(asn) ??
      typeOfName(this.table.nameAt(place)) ??
      (this.table.addressesAt(place) >= this.ispMinAddresses ? 'isp' : 'business')
    );
  }

  /** What an AS as a whole is; `unknown` for one that the ASN data don't know. */
  typeOfAsn(asn: number): NetworkType {
    const place = this.table.placeOfAsn(asn);
    return this.overrides.asns.get(asn) ?? (place < 0 ? 'unknown' : (this.types[place] ??= this.typeAt(place)));
  }

  /** Null for an AS that the ASN data don't know. */
  organisationOf(asn: number): string | null {
    const place = this.table.placeOfAsn(asn);
    return place < 0 ? null : this.table.nameAt(place);
  }

  /**
   * The type for one session: Safari on an Apple system at a network where iCloud Private Relay leaves is `relay` even
   * without a list of its prefixes. Browser and system are parsed family names in any dialect.
   */
  typeForSession(type: NetworkType, asn: number | null, browser: string, os: string): NetworkType {
    if (type !== 'cdn' || asn === null || !RELAY_EGRESS.has(asn)) return type;
    return SAFARI.test(browser.trim()) && APPLE_SYSTEM.test(os.trim()) ? 'relay' : type;
  }
}
