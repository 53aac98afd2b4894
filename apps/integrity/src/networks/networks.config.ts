import { IsInt, IsString, Min } from 'class-validator';
import { ConfigError, Setting } from '#runtime/config.js';
import { addToList, type NetworkList } from './network-lists.js';
import { isNetworkType } from './network-types.js';

export class NetworksConfig {
  @Setting(
    'Folder with `asn-ipv4-num.csv` and `asn-ipv6-num.csv` in the form of the package `@ip-location-db/asn`, or a MaxMind DB `*.mmdb` with the fields of GeoLite2-ASN; empty: the data the service was built with',
  )
  @IsString()
  ASN_DATA_DIR = '';

  @Setting(
    'Folder with lists `<network_type>*.txt`, one CIDR or `AS<number>` a line, `#` starts a comment; empty or missing: no lists',
  )
  @IsString()
  NETWORK_LISTS_DIR = '';

  @Setting(
    'Network types that win over everything known, as `AS64500=business,192.0.2.0/24=mobile`; only reserved addresses stay reserved',
  )
  @IsString()
  NETWORK_TYPE_OVERRIDES = '';

  @Setting('IPv4 addresses from which a network that nothing else is known about counts as `isp` instead of `business`')
  @IsInt()
  @Min(1)
  ISP_MIN_ADDRESSES = 500_000;
}

/** @throws ConfigError for a part that is not `<CIDR or AS number>=<network type>` */
export function readOverrides({ NETWORK_TYPE_OVERRIDES }: Pick<NetworksConfig, 'NETWORK_TYPE_OVERRIDES'>): NetworkList {
  const list: NetworkList = { prefixes: [], asns: new Map() };
  for (const part of NETWORK_TYPE_OVERRIDES.split(',').map((text) => text.trim())) {
    if (part === '') continue;
    const [text = '', type = ''] = part.split('=').map((side) => side.trim());
    if (!isNetworkType(type) || !addToList(list, text, type)) {
      throw new ConfigError(
        `Wrong configuration: NETWORK_TYPE_OVERRIDES holds ${JSON.stringify(part)}, which is not like AS64500=business.`,
      );
    }
  }
  return list;
}
