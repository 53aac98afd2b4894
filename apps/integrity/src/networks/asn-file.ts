const MAGIC = 'TPASN\0\0\u0002';
const HEADER_BYTES = 16;

/** The columns of the compiled ASN data. An AS is given by its place in `asns`; all numbers are unsigned 32-bit. */
export interface AsnColumns {
  /** AS numbers in rising order. */
  asns: Uint32Array;
  /** IPv4 addresses of each. */
  addresses: Uint32Array;
  /** Where the name of each starts in `names`, and at last where the last one ends. */
  nameStarts: Uint32Array;
  /** UTF-8. */
  names: Uint8Array;
  /** For each upper half of an IPv4 address, and one more: how many ranges start below it. */
  v4Buckets: Uint32Array;
  /** Start, end and AS of each IPv4 range, side by side because a look-up reads all three. */
  v4Ranges: Uint32Array;
  /** For the 16 bits behind the first three of 2000::/3, and one more: how many ranges start below them. */
  v6Buckets: Uint32Array;
  /** The upper 64 bits of start and end in two words each, and the AS, or EXACT where ranges split a /64. */
  v6Ranges: Uint32Array;
  /** Four words for each range that is only a part of a /64. */
  exactStarts: Uint32Array;
  exactEnds: Uint32Array;
  exactAsns: Uint32Array;
}

/** In `v6Ranges`: the /64 is split, see the exact list. */
export const EXACT = 0xffffffff;

export interface AsnData {
  /** Tells of which source files the data were compiled. */
  stamp: string;
  /** YYYY-MM-DD of the source. */
  dataDate: string;
  columns: AsnColumns;
}

interface Head {
  stamp: string;
  dataDate: string;
  /** Name and number of elements, in the order of the file. */
  columns: [keyof AsnColumns, number][];
}

/** Header, JSON head, then each column at a multiple of 8 bytes, in the byte order of this machine. */
export function encodeAsnFile({ stamp, dataDate, columns }: AsnData): Uint8Array {
  const entries = Object.entries(columns) as [keyof AsnColumns, Uint32Array | Uint8Array][];
  const head: Head = { stamp, dataDate, columns: entries.map(([name, column]) => [name, column.length]) };
  const json = Buffer.from(JSON.stringify(head));
  const parts = entries.map(([, column]) => Buffer.from(column.buffer, column.byteOffset, column.byteLength));
  const bytes = new Uint8Array(
    [...parts, json].reduce((total, part) => total + aligned(part.byteLength), HEADER_BYTES),
  );
  bytes.set(Buffer.from(MAGIC, 'latin1'));
  new Uint32Array(bytes.buffer, 8, 2).set([json.byteLength, bytes.byteLength]);
  let at = HEADER_BYTES;
  for (const part of [json, ...parts]) {
    bytes.set(part, at);
    at += aligned(part.byteLength);
  }
  return bytes;
}

/** Looks into a file without copying it; undefined when it is cut short or none of this version and byte order. */
export function decodeAsnFile(bytes: Uint8Array): AsnData | undefined {
  if (bytes.byteLength < HEADER_BYTES || bytes.byteOffset % 8 !== 0) return undefined;
  if (Buffer.from(bytes.subarray(0, 8)).toString('latin1') !== MAGIC) return undefined;
  const [jsonBytes = 0, allBytes] = new Uint32Array(bytes.buffer, bytes.byteOffset + 8, 2);
  if (allBytes !== bytes.byteLength) return undefined;
  const json = Buffer.from(bytes.subarray(HEADER_BYTES, HEADER_BYTES + jsonBytes)).toString();
  const { stamp, dataDate, columns: names } = JSON.parse(json) as Head;
  let at = bytes.byteOffset + HEADER_BYTES + aligned(jsonBytes);
  const columns: Record<string, Uint32Array | Uint8Array> = {};
  for (const [name, length] of names) {
    const column =
      name === 'names' ? new Uint8Array(bytes.buffer, at, length) : new Uint32Array(bytes.buffer, at, length);
    columns[name] = column;
    at += aligned(column.byteLength);
  }
  return { stamp, dataDate, columns: columns as unknown as AsnColumns };
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
