import type { Range } from './flatten-ranges.js';

const MARK = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
/** Zero bytes between tree and data. */
const GAP = 16;

/** What a MaxMind DB (format 2.0) with the fields of GeoLite2-ASN says; a range's value is the ASN. */
export interface MmdbContent {
  ipv4: Range<number, number>[];
  ipv6: Range<bigint, number>[];
  names: Map<number, string>;
  /** YYYY-MM-DD on which the file was built. */
  dataDate: string;
}

/** Reads a whole file once, to be compiled like the CSV files. @throws Error for a file that is no such database */
export function readMmdb(bytes: Buffer): MmdbContent {
  const mark = bytes.lastIndexOf(MARK);
  if (mark < 0) throw new Error('The file is no MaxMind DB');
  const [metadata] = readValue(bytes, mark + MARK.length, mark + MARK.length) as [Record<string, unknown>, number];
  const { node_count: nodes, record_size: bits, ip_version: version, build_epoch: epoch } = metadata;
  if (typeof nodes !== 'number' || (bits !== 24 && bits !== 28 && bits !== 32) || (version !== 4 && version !== 6)) {
    throw new Error('The MaxMind DB has an unknown form');
  }
  const data = (nodes * bits) / 4 + GAP;
  const content: MmdbContent = {
    ipv4: [],
    ipv6: [],
    names: new Map(),
    dataDate: new Date(Number(epoch ?? 0) * 1_000).toISOString().slice(0, 10),
  };
  const asns = new Map<number, number>();
  for (const { prefix, depth, value } of leaves(bytes, nodes, bits, version)) {
    let asn = asns.get(value);
    if (asn === undefined) {
      const [record] = readValue(bytes, data, data + value - nodes - GAP) as [Record<string, unknown>, number];
      const { autonomous_system_number: number, autonomous_system_organization: name } = record;
      asn = typeof number === 'number' ? number : 0;
      asns.set(value, asn);
      if (asn > 0) content.names.set(asn, typeof name === 'string' ? name : '');
    }
    if (asn <= 0) continue;
    const end = prefix | ((1n << BigInt(128 - depth)) - 1n);
    if (end < 1n << 32n) content.ipv4.push({ start: Number(prefix), end: Number(end), value: asn });
    else content.ipv6.push({ start: prefix, end, value: asn });
  }
  return content;
}

/** Prefixes with data, as 128 bits. Other ways into the IPv4 part, as ::ffff:0:0/96, are left out. */
function* leaves(
  bytes: Buffer,
  nodes: number,
  bits: 24 | 28 | 32,
  version: 4 | 6,
): Generator<{ prefix: bigint; depth: number; value: number }> {
  const record = (node: number, side: 0 | 1): number => readRecord(bytes, node, side, bits);
  let ipv4Root = 0;
  for (let depth = 0; version === 6 && depth < 96 && ipv4Root < nodes; depth++) ipv4Root = record(ipv4Root, 0);
  const open = [{ node: 0, prefix: 0n, depth: version === 4 ? 96 : 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const depth = next.depth + 1;
    if (depth > 128) throw new Error('The MaxMind DB has a broken tree');
    for (const side of [0, 1] as const) {
      const value = record(next.node, side);
      const prefix = next.prefix | (BigInt(side) << BigInt(128 - depth));
      if (value > nodes) yield { prefix, depth, value };
      else if (value < nodes && (value !== ipv4Root || prefix === 0n)) open.push({ node: value, prefix, depth });
    }
  }
}

function readRecord(bytes: Buffer, node: number, side: 0 | 1, bits: 24 | 28 | 32): number {
  if (bits === 24) return bytes.readUIntBE(node * 6 + side * 3, 3);
  if (bits === 32) return bytes.readUInt32BE(node * 8 + side * 4);
  const middle = bytes.readUInt8(node * 7 + 3);
  return side === 0
    ? ((middle >>> 4) << 24) | bytes.readUIntBE(node * 7, 3)
    : ((middle & 15) << 24) | bytes.readUIntBE(node * 7 + 4, 3);
}

/** The value at `at` and where it ends; pointers count from `base`. Types that an ASN has no use for become their bytes. */
function readValue(bytes: Buffer, base: number, at: number): [unknown, number] {
  const control = bytes.readUInt8(at++);
  let type = control >>> 5;
  if (type === 1) return readPointer(bytes, base, at, control);
  if (type === 0) type = bytes.readUInt8(at++) + 7;
  let size = control & 31;
  if (size > 28) {
    const more = size - 28;
    size = bytes.readUIntBE(at, more) + (more === 1 ? 29 : more === 2 ? 285 : 65_821);
    at += more;
  }
  if (type === 7) {
    const map: [string, unknown][] = [];
    for (let index = 0; index < size; index++) {
      const [key, behindKey] = readValue(bytes, base, at);
      const [value, behind] = readValue(bytes, base, behindKey);
      map.push([String(key), value]);
      at = behind;
    }
    return [Object.fromEntries(map), at];
  }
  if (type === 11) {
    const list: unknown[] = [];
    for (let index = 0; index < size; index++) {
      const [value, behind] = readValue(bytes, base, at);
      list.push(value);
      at = behind;
    }
    return [list, at];
  }
  if (type === 14) return [size === 1, at];
  const end = at + size;
  if (end > bytes.length) throw new Error('The MaxMind DB is cut short');
  if (type === 2) return [bytes.toString('utf8', at, end), end];
  if (type === 5 || type === 6 || type === 9) {
    return [bytes.subarray(at, end).reduce((number, byte) => number * 256 + byte, 0), end];
  }
  return [bytes.subarray(at, end), end];
}

function readPointer(bytes: Buffer, base: number, at: number, control: number): [unknown, number] {
  const more = ((control >>> 3) & 3) + 1;
  const high = more === 4 ? 0 : (control & 7) * 256 ** more;
  const target = high + bytes.readUIntBE(at, more) + (more === 2 ? 2_048 : more === 3 ? 526_336 : 0);
  const [value] = readValue(bytes, base, base + target);
  return [value, at + more];
}
