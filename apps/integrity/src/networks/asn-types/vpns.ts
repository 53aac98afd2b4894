import type { KnownAsn } from './known-asn.js';

/** Networks from which the large VPN services reach the internet. */
export const VPNS: readonly KnownAsn[] = [
  [9009, 'M247'],
  [212238, 'Datacamp'],
  [60068, 'Datacamp'],
  [39351, '31173'],
  [209103, 'Proton'],
  [11878, 'tzulo'],
  [207137, 'PacketHub'],
  [136787, 'PacketHub'],
  [147049, 'PacketHub'],
  [141039, 'PacketHub'],
  [209854, 'Cyberzone'],
  [208172, 'Proton'],
  [198605, 'AVAST'],
  [39832, 'Opera'],
];
