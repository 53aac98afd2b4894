/** Groups that run Tor exits. */
export const TOR_NAMES: readonly string[] = [
  'applied privacy',
  'artikel10',
  'calyx',
  'digitalcourage',
  'emerald onion',
  'erneuerbare freiheit',
  'nos oignons',
  'quintex',
  'unredacted',
];

/** VPN services and those who let exits to them. */
export const VPN_NAMES: readonly string[] = [
  '31173',
  'cyberghost',
  'datacamp',
  'ipvanish',
  'm247',
  'mullvad',
  'packethub',
  'perfect privacy',
  'private internet access',
  'proton ag',
  'pvdatanet',
  'riseup',
  'strong technology',
  'surfshark',
  'tefincom',
  'tzulo',
  'windscribe',
];
