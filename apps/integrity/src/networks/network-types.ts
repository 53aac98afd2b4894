/** What kind of network an address belongs to; the order is that of the documentation, no meaning hangs on it. */
export const NETWORK_TYPES = [
  'hosting',
  'cdn',
  'relay',
  'vpn',
  'tor',
  'mobile',
  'isp',
  'business',
  'education',
  'government',
  'search_engine',
  'reserved',
  'unknown',
] as const;

export type NetworkType = (typeof NETWORK_TYPES)[number];

export function isNetworkType(text: string): text is NetworkType {
  return (NETWORK_TYPES as readonly string[]).includes(text);
}
