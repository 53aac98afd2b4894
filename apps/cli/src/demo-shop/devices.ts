import type { Random } from './random.js';

/** A browser of a person, which a collector knows by its `distinct_id`. */
export interface Device {
  distinctId: string;
  browser: string;
  os: string;
  /** Factor on the chance to buy. */
  intent: number;
  /** Of its network; a mobile one changes its last part from visit to visit. */
  address(random: Random): string;
}

interface DeviceKind {
  os: string;
  weight: number;
  intent: number;
  mobile: boolean;
  browsers: readonly [name: string, weight: number][];
}

const KINDS: readonly DeviceKind[] = [
  { os: 'iOS', weight: 30, intent: 0.85, mobile: true, browsers: [['Safari', 80], ['Chrome', 14], ['Instagram', 6]] },
  { os: 'Android', weight: 29, intent: 0.75, mobile: true, browsers: [['Chrome', 74], ['Samsung Internet', 18], ['Firefox', 8]] },
  { os: 'Windows', weight: 23, intent: 1.3, mobile: false, browsers: [['Chrome', 60], ['Edge', 28], ['Firefox', 12]] },
  { os: 'macOS', weight: 14, intent: 1.4, mobile: false, browsers: [['Safari', 52], ['Chrome', 40], ['Firefox', 8]] },
  { os: 'Linux', weight: 2, intent: 1.1, mobile: false, browsers: [['Firefox', 55], ['Chrome', 45]] },
  { os: 'Chrome OS', weight: 2, intent: 0.9, mobile: false, browsers: [['Chrome', 100]] },
]; // prettier-ignore

/** RFC 5737 and RFC 3849: addresses for documentation, which belong to nobody. */
const IPV4_NETWORKS = ['192.0.2', '198.51.100', '203.0.113'];
const IPV6_NETWORK = '2001:db8';

/** @param other a device of the same person: a further one has another operating system */
export function newDevice(random: Random, other?: Device): Device {
  const kinds = other === undefined ? KINDS : KINDS.filter(({ os }) => os !== other.os);
  const { os, intent, mobile, browsers } = random.weighted(kinds, ({ weight }) => weight);
  const [browser] = random.weighted(browsers, ([, weight]) => weight);
  return { distinctId: newDistinctId(random), browser, os, intent, address: newNetwork(random, mobile) };
}

function newDistinctId(random: Random): string {
  return Buffer.from(random.bytes(10)).toString('hex');
}

function newNetwork(random: Random, mobile: boolean): (random: Random) => string {
  if (random.chance(0.45)) {
    const fixed = `${random.pick(IPV4_NETWORKS)}.${random.whole(1, 254)}`;
    return () => fixed;
  }
  const group = (from: Random): string => from.whole(0x1000, 0xffff).toString(16);
  const network = `${IPV6_NETWORK}:${group(random)}:${group(random)}`;
  const host = (from: Random): string => [group(from), group(from), group(from), group(from)].join(':');
  const fixed = host(random);
  return (visit) => `${network}:${mobile ? host(visit) : fixed}`;
}
