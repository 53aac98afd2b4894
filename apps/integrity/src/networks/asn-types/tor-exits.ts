import type { KnownAsn } from './known-asn.js';

/** Organisations that run Tor exits. */
export const TOR_EXITS: readonly KnownAsn[] = [
  [60729, 'Stiftung'],
  [210731, 'DotSrc'],
  [401401, 'Unredacted'],
  [401720, 'Unredacted'],
];
