import { formatIpv4 } from '#apps/integrity/src/networks/address.js';
import type { AsnTable } from '#apps/integrity/src/networks/asn-table.js';
import type { Random } from '#apps/cli/src/demo-shop/random.js';
import { DEVELOPMENT_NETWORKS, HELD_OUT_NETWORKS, IPV6_NETWORKS, type NetworkKind } from './places-of-networks.js';

/** A /24 or /48 that is really announced by an AS of its kind. */
export interface Network {
  kind: NetworkKind;
  country: string;
  /** The key of the network entity. */
  net: string;
  /** Address number 0 to 253 of it; of an IPv6 network each lies in a /64 of its own, and the last 64 bits come from `random`. */
  address(number: number, random: Random): string;
}

/** First and last whole /24 of ranges, as address / 256. */
type Blocks = [first: number, last: number][];

/** The /24s that the ASs of the simulator announce. Made once for all seeds: it walks through the whole table. */
export class AddressBook {
  private readonly blocks = new Map<number, Blocks>();

  constructor(table: AsnTable) {
    const wanted = [DEVELOPMENT_NETWORKS, HELD_OUT_NETWORKS].flatMap((networks) => Object.values(networks).flat());
    for (const [asn] of wanted) this.blocks.set(asn, []);
    for (const { start, end, asn } of table.ipv4Ranges()) {
      const [first, last] = [Math.ceil(start / 256), Math.floor((end + 1) / 256) - 1];
      if (first <= last) this.blocks.get(asn)?.push([first, last]);
    }
    for (const [asn, blocks] of this.blocks)
      if (blocks.length === 0) throw new Error(`AS${asn} announces no whole /24`);
  }

  /** A /24 of the AS; each as likely as any other. */
  network(asn: number, random: Random): string {
    const blocks = this.blocks.get(asn);
    if (blocks === undefined) throw new Error(`AS${asn} is none of the simulator`);
    const [first, last] = random.weighted(blocks, ([from, to]) => to - from + 1);
    return formatIpv4(random.whole(first, last) * 256);
  }
}

/** Draws networks of a kind, each only once. */
export class NetworkDraw {
  private readonly used = new Set<string>();

  constructor(
    private readonly book: AddressBook,
    private readonly random: Random,
    private readonly heldOut: boolean,
  ) {}

  next(kind: NetworkKind, choice: { ipv6?: boolean; asn?: number } = {}): Network {
    for (;;) {
      const network = choice.ipv6 === true ? this.ipv6(kind) : this.ipv4(kind, choice.asn);
      if (this.used.has(network.net)) continue;
      this.used.add(network.net);
      return network;
    }
  }

  /** An AS of the kind, to draw several networks of one owner. */
  owner(kind: NetworkKind): number {
    return this.random.pick(this.places(kind))[0];
  }

  private places(kind: NetworkKind): readonly (readonly [number, string])[] {
    return (this.heldOut ? HELD_OUT_NETWORKS : DEVELOPMENT_NETWORKS)[kind];
  }

  private ipv4(kind: NetworkKind, owner?: number): Network {
    const places = this.places(kind);
    const [asn, country] = places.find(([one]) => one === owner) ?? this.random.pick(places);
    const base = this.book.network(asn, this.random);
    const prefix = base.slice(0, base.lastIndexOf('.'));
    return { kind, country, net: `${base}/24`, address: (number) => `${prefix}.${1 + (number % 254)}` };
  }

  private ipv6(kind: NetworkKind): Network {
    const [groups, country] = this.random.pick(IPV6_NETWORKS[kind] ?? []);
    const prefix = `${groups}:${this.random.whole(1, 0xffff).toString(16)}`;
    const hex = (random: Random): string => random.whole(1, 0xffff).toString(16);
    return {
      kind,
      country,
      net: `${prefix}::/48`,
      address: (number, random) =>
        `${prefix}:${(number + 1).toString(16)}:${hex(random)}:${hex(random)}:${hex(random)}:${hex(random)}`,
    };
  }
}
