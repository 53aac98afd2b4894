import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NETWORK_TYPES, type NetworkType } from './network-types.js';
import { parsePrefix, type Prefix } from './prefix.js';

/** Types that somebody states for prefixes and AS numbers. */
export interface NetworkList {
  prefixes: [Prefix, NetworkType][];
  asns: Map<number, NetworkType>;
}

/** `AS64500` as its number; undefined for other text. */
function parseAsn(text: string): number | undefined {
  const [, digits] = /^AS(\d{1,10})$/i.exec(text) ?? [];
  const asn = Number(digits);
  return digits !== undefined && asn > 0 && asn <= 0xffffffff ? asn : undefined;
}

/** Adds one CIDR, address or `AS<number>` of a type; says whether it was one. What was stated first stays. */
export function addToList(list: NetworkList, text: string, type: NetworkType): boolean {
  const asn = parseAsn(text);
  if (asn !== undefined) {
    if (!list.asns.has(asn)) list.asns.set(asn, type);
    return true;
  }
  const prefix = parsePrefix(text);
  if (prefix === undefined) return false;
  list.prefixes.push([prefix, type]);
  return true;
}

/**
 * Reads every `<network_type>*.txt` of a folder in the order of their names: one CIDR or `AS<number>` a line, `#` starts a
 * comment. No folder is an empty list. Lines and files that mean nothing are skipped and told to `warn`.
 */
export function readNetworkLists(directory: string, warn: (message: string) => void): NetworkList {
  const list: NetworkList = { prefixes: [], asns: new Map() };
  if (!existsSync(directory)) return list;
  for (const file of readdirSync(directory).sort()) {
    if (!file.endsWith('.txt')) continue;
    const type = NETWORK_TYPES.find((known) => file.startsWith(known));
    if (type === undefined) {
      warn(`${file} is skipped: its name begins with no network type`);
      continue;
    }
    const lines = readFileSync(join(directory, file), 'utf8')
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/);
    lines.forEach((line, index) => {
      const text = line.replace(/#.*/, '').trim();
      if (text !== '' && !addToList(list, text, type)) {
        warn(`${file} line ${index + 1} is skipped: ${JSON.stringify(text.slice(0, 64))} is no CIDR and no AS number`);
      }
    });
  }
  return list;
}
