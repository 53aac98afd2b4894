import { parseAddress } from '../networks/address.js';
import { PrefixMap } from '../networks/prefix-map.js';
import { parsePrefix } from '../networks/prefix.js';
import type { AllowRule, TrafficSession } from './traffic.js';

interface Matcher {
  readonly rule: AllowRule;
  readonly prefixes: PrefixMap<true> | undefined;
}

/** Finds the rule that takes a session out of scoring. */
export class AllowList {
  private readonly matchers: readonly Matcher[];
  private readonly byHost = new Map<string, readonly AllowRule[]>();

  constructor(rules: readonly AllowRule[]) {
    this.matchers = rules.map((rule) => ({ rule, prefixes: prefixesOf(rule) }));
  }

  /** The first rule, in the order given, that names the AS or holds the host of a session and had not ended on its day. */
  ruleFor({ host, asn, day }: TrafficSession): AllowRule | undefined {
    if (this.matchers.length === 0) return undefined;
    const key = `${host} ${asn ?? ''}`;
    let rules = this.byHost.get(key);
    if (rules === undefined) this.byHost.set(key, (rules = this.rulesOf(host, asn)));
    return rules.find(({ untilDay }) => untilDay === null || day < untilDay);
  }

  private rulesOf(host: string, asn: number | null): AllowRule[] {
    const address = parseAddress(host.split('/', 1)[0] ?? '');
    return this.matchers
      .filter(
        ({ rule, prefixes }) =>
          (rule.asn !== null && rule.asn === asn) ||
          (prefixes !== undefined && address !== undefined && prefixes.find(address) === true),
      )
      .map(({ rule }) => rule);
  }
}

/** A host of IPv6 is a /64, so a longer prefix stands for the /64 around it. */
function prefixesOf({ cidr }: AllowRule): PrefixMap<true> | undefined {
  const prefix = cidr === null ? undefined : parsePrefix(cidr);
  if (prefix === undefined) return undefined;
  const bits = prefix.address.version === 6 ? Math.min(prefix.bits, 64) : prefix.bits;
  return new PrefixMap([[{ ...prefix, bits }, true]]);
}
