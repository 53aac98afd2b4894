/** One range of addresses; IPv4 as numbers below 2^32. */
export interface MmdbRange {
  start: bigint;
  end: bigint;
  asn: number;
}

const EMPTY = 0xffffffff;
/** Marks a record of the growing tree that holds an AS number's place instead of a node. */
const LEAF = 0x80000000;
const METADATA_MARK = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');

/**
 * A MaxMind DB (format 2.0, records of 32 bits) with the fields of GeoLite2-ASN. IPv4 ranges lie at ::/96, as the format
 * wants it. Where ranges overlap the narrower wins.
 */
export function mmdbFile(ranges: readonly MmdbRange[], names: ReadonlyMap<number, string>): Buffer {
  const asns = [...names.keys()];
  const places = new Map(asns.map((asn, place) => [asn, place]));
  const tree = new Tree();
  const widest = [...ranges].sort((a, b) => {
    const difference = b.end - b.start - (a.end - a.start);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  });
  for (const { start, end, asn } of widest) {
    for (const [address, bits] of prefixes(start, end)) tree.insert(address, bits, places.get(asn) ?? 0);
  }
  const offsets: number[] = [];
  const records: Buffer[] = [];
  let size = 0;
  for (const asn of asns) {
    const record = Buffer.concat([
      head(7, 2),
      text('autonomous_system_number'),
      uint(asn),
      text('autonomous_system_organization'),
      text(names.get(asn) ?? ''),
    ]);
    offsets.push(size);
    records.push(record);
    size += record.length;
  }
  return Buffer.concat([tree.encode(offsets), Buffer.alloc(16), ...records, METADATA_MARK, metadata(tree.size)]);
}

class Tree {
  size = 1;
  private records = new Uint32Array(2 ** 20).fill(EMPTY);

  insert(address: bigint, bits: number, place: number): void {
    const words = [96n, 64n, 32n, 0n].map((shift) => Number((address >> shift) & 0xffffffffn));
    let node = 0;
    for (let depth = 0; ; depth++) {
      const side = ((words[depth >>> 5] as number) >>> (31 - (depth & 31))) & 1;
      const at = node * 2 + side;
      if (depth === bits - 1) {
        this.records[at] = (LEAF | place) >>> 0;
        return;
      }
      const record = this.records[at] as number;
      node = record < LEAF ? record : this.add(at, record);
    }
  }

  /** Puts a node in the place of a leaf or of nothing; both halves keep what was there. */
  private add(at: number, record: number): number {
    if (this.size * 2 + 2 > this.records.length) {
      const larger = new Uint32Array(this.records.length * 2).fill(EMPTY);
      larger.set(this.records);
      this.records = larger;
    }
    this.records.fill(record, this.size * 2, this.size * 2 + 2);
    this.records[at] = this.size;
    return this.size++;
  }

  encode(offsets: readonly number[]): Buffer {
    const bytes = Buffer.alloc(this.size * 8);
    for (let at = 0; at < this.size * 2; at++) {
      const record = this.records[at] as number;
      const place = record & ~LEAF;
      const value = record === EMPTY ? this.size : record < LEAF ? record : this.size + 16 + (offsets[place] ?? 0);
      bytes.writeUInt32BE(value, at * 4);
    }
    return bytes;
  }
}

/** The fewest prefixes of 128 bits that are exactly a range. */
function* prefixes(start: bigint, end: bigint): Generator<[bigint, number]> {
  for (let at = start; at <= end;) {
    let bits = 128;
    let size = 1n;
    while (bits > 1 && (at & (size * 2n - 1n)) === 0n && at + size * 2n - 1n <= end) {
      size *= 2n;
      bits--;
    }
    yield [at, bits];
    at += size;
  }
}

function metadata(nodes: number): Buffer {
  const fields: [string, Buffer][] = [
    ['binary_format_major_version', uint(2, 5)],
    ['binary_format_minor_version', uint(0, 5)],
    ['build_epoch', uint(1_700_000_000, 9)],
    ['database_type', text('GeoLite2-ASN')],
    ['description', head(7, 0)],
    ['ip_version', uint(6, 5)],
    ['languages', head(11, 0)],
    ['node_count', uint(nodes)],
    ['record_size', uint(32, 5)],
  ];
  return Buffer.concat([head(7, fields.length), ...fields.flatMap(([name, value]) => [text(name), value])]);
}

/** Type and size before a value: 2 text, 5 to 9 unsigned, 7 map, 11 array. */
function head(type: number, size: number): Buffer {
  const [short, more] =
    size < 29 ? [size, []] : size < 285 ? [29, [size - 29]] : [30, [(size - 285) >> 8, (size - 285) & 255]];
  return Buffer.from(type > 7 ? [short, type - 7, ...more] : [(type << 5) | short, ...more]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([head(2, bytes.length), bytes]);
}

function uint(value: number, type = 6): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return Buffer.concat([head(type, type === 5 ? 2 : 4), type === 5 ? bytes.subarray(2) : bytes]);
}
