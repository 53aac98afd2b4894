import type { KnownAsn } from './known-asn.js';

/** Networks that deliver content for others; people come from them only through a relay. */
export const CDNS: readonly KnownAsn[] = [
  [13335, 'Cloudflare'],
  [209242, 'Cloudflare'],
  [20940, 'Akamai'],
  [16625, 'Akamai'],
  [36183, 'Akamai'],
  [35994, 'Akamai'],
  [34164, 'Akamai'],
  [21342, 'Akamai'],
  [24319, 'Akamai'],
  [32787, 'Akamai'],
  [54113, 'Fastly'],
  [22822, 'Limelight'],
  [15133, 'Edgecast'],
  [30148, 'Sucuri'],
  [19551, 'Incapsula'],
  [54994, 'Meteverse'],
  [200325, 'Bunny'],
];
