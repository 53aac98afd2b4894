/** What a network is really used for; the words are of this simulator, so that it does not inherit mistakes of the product. */
export type NetworkKind =
  | 'home'
  | 'shared_home'
  | 'mobile'
  | 'company'
  | 'university'
  | 'authority'
  | 'hoster'
  | 'vpn'
  | 'relay'
  | 'tor'
  | 'gateway';

type Place = readonly [asn: number, country: string];

/**
 * AS numbers by use, with the country of most of their addresses. Registered facts, written down by hand; which addresses
 * they announce comes from the ASN data.
 */
export const DEVELOPMENT_NETWORKS: Readonly<Record<NetworkKind, readonly Place[]>> = {
  home: [
    [7922, 'US'], [20115, 'US'], [22773, 'US'], [7018, 'US'], [11427, 'US'], [20001, 'US'], [33363, 'US'], [10796, 'US'],
    [3320, 'DE'], [3209, 'DE'], [8881, 'DE'], [6805, 'DE'], [3215, 'FR'], [12322, 'FR'], [15557, 'FR'], [2856, 'GB'],
    [5089, 'GB'], [5607, 'GB'], [3352, 'ES'], [12479, 'ES'], [3269, 'IT'], [12874, 'IT'], [1136, 'NL'], [33915, 'NL'],
    [5617, 'PL'], [3301, 'SE'], [28573, 'BR'], [18881, 'BR'], [27699, 'BR'], [4713, 'JP'], [1221, 'AU'], [577, 'CA'],
    [812, 'CA'], [8447, 'AT'], [3292, 'DK'],
  ],
  shared_home: [[14593, 'US'], [24560, 'IN'], [17488, 'IN'], [9829, 'IN'], [8452, 'EG'], [9121, 'TR']],
  mobile: [
    [21928, 'US'], [20057, 'US'], [22394, 'US'], [6167, 'US'], [206067, 'GB'], [25135, 'GB'], [55836, 'IN'], [45271, 'IN'],
    [16135, 'TR'], [26599, 'BR'], [9605, 'JP'], [8374, 'PL'], [44034, 'SE'], [51207, 'FR'], [24608, 'IT'], [16232, 'IT'],
  ],
  company: [
    [521, 'US'], [30383, 'US'], [7792, 'US'], [4983, 'US'], [10846, 'US'], [5049, 'US'], [13043, 'DE'], [9183, 'DE'],
    [206618, 'DE'], [35039, 'DE'], [206720, 'FR'], [7743, 'US'], [17052, 'US'], [11971, 'US'], [12701, 'GB'], [7227, 'US'],
    [6445, 'US'], [14381, 'US'], [39550, 'DE'], [25049, 'NL'],
  ],
  university: [
    [25, 'US'], [32, 'US'], [73, 'US'], [87, 'US'], [111, 'US'], [786, 'GB'], [680, 'DE'], [1103, 'NL'], [559, 'CH'],
    [2200, 'FR'], [137, 'IT'], [1741, 'FI'], [2852, 'CZ'],
  ],
  authority: [[22252, 'US'], [11188, 'US'], [14836, 'CA'], [33614, 'US'], [2026, 'FI']],
  hoster: [
    [24940, 'DE'], [16276, 'FR'], [14061, 'US'], [16509, 'US'], [8075, 'US'], [396982, 'US'], [20473, 'US'], [63949, 'US'],
    [12876, 'FR'], [51167, 'DE'], [197540, 'DE'], [60781, 'NL'], [8560, 'DE'], [36352, 'US'], [53667, 'US'], [29802, 'US'],
    [62240, 'GB'], [49981, 'NL'], [45102, 'SG'], [31898, 'US'], [47583, 'LT'], [50673, 'NL'], [57043, 'NL'], [7979, 'US'],
    [35916, 'US'], [40676, 'US'],
  ],
  vpn: [[9009, 'GB'], [212238, 'US'], [60068, 'GB'], [39351, 'SE'], [209103, 'CH'], [136787, 'US'], [209854, 'NL']],
  relay: [[13335, 'US'], [36183, 'US'], [54113, 'US']],
  tor: [[60729, 'DE'], [401401, 'US'], [401720, 'US']],
  gateway: [[22616, 'US'], [53813, 'US'], [55256, 'US']],
}; // prettier-ignore

/** Others, for profiles that nobody tunes on. */
export const HELD_OUT_NETWORKS: Readonly<Record<NetworkKind, readonly Place[]>> = {
  home: [
    [6128, 'US'], [11492, 'US'], [16591, 'US'], [701, 'US'], [13285, 'GB'], [30722, 'IT'], [12741, 'PL'],
    [1257, 'SE'], [2119, 'NO'], [719, 'FI'], [16086, 'FI'], [5483, 'HU'], [8708, 'RO'], [6799, 'GR'], [8422, 'DE'],
    [20676, 'DE'], [17676, 'JP'], [2516, 'JP'], [4766, 'KR'], [9318, 'KR'], [7545, 'AU'], [6327, 'CA'], [13999, 'MX'],
    [9269, 'HK'], [31042, 'RS'], [12338, 'ES'], [15435, 'NL'],
  ],
  shared_home: [[45595, 'PK'], [45609, 'IN'], [37069, 'EG'], [23693, 'ID'], [45758, 'TH']],
  mobile: [
    [8412, 'AT'], [12912, 'PL'], [13036, 'CZ'], [39603, 'PL'], [29975, 'ZA'], [36935, 'EG'], [25019, 'SA'], [43766, 'SA'],
    [9644, 'KR'], [24158, 'TW'], [27831, 'CO'], [12302, 'RO'], [29247, 'GR'], [15502, 'IE'], [22085, 'BR'],
  ],
  company: [
    [10794, 'US'], [109, 'US'], [7726, 'US'], [613, 'US'], [3573, 'US'], [3571, 'US'], [12007, 'US'], [7687, 'JP'],
    [15495, 'DE'], [31399, 'DE'], [30337, 'US'], [6075, 'US'], [2559, 'US'], [21433, 'GB'],
  ],
  university: [
    [553, 'DE'], [36375, 'US'], [231, 'US'], [239, 'CA'], [56132, 'AU'], [2501, 'JP'], [1124, 'NL'], [1653, 'SE'],
    [224, 'NO'], [8508, 'PL'], [766, 'ES'],
  ],
  authority: [[27370, 'US'], [394534, 'US'], [36081, 'US'], [395399, 'CA']],
  hoster: [
    [33070, 'US'], [20860, 'GB'], [61157, 'DE'], [18779, 'US'], [19318, 'US'], [48635, 'NL'], [202053, 'FI'], [55293, 'US'],
    [200000, 'UA'], [48282, 'RU'], [49505, 'RU'], [197695, 'RU'], [26496, 'US'], [46606, 'US'], [22612, 'US'], [43350, 'NL'],
    [44066, 'DE'], [29066, 'DE'], [12586, 'DE'], [34788, 'DE'], [56655, 'NO'], [46844, 'US'], [132203, 'CN'], [136907, 'HK'],
    [199524, 'LU'], [42831, 'GB'], [25820, 'US'], [36351, 'US'],
  ],
  vpn: [[9009, 'RO'], [212238, 'DE'], [60068, 'NL'], [11878, 'US'], [207137, 'PA'], [209854, 'PA']],
  relay: [[13335, 'US'], [36183, 'US'], [54113, 'US']],
  tor: [[60729, 'DE'], [401720, 'US']],
  gateway: [[22616, 'US'], [53813, 'US'], [55256, 'US']],
}; // prettier-ignore

/** IPv6 prefixes by use: the first two or three groups, with how many hexadecimal digits may follow to the /48. */
export const IPV6_NETWORKS: Readonly<Partial<Record<NetworkKind, readonly (readonly [groups: string, country: string])[]>>> = {
  home: [
    ['2601:5c3', 'US'], ['2600:1700', 'US'], ['2003:e8', 'DE'], ['2a02:8071', 'DE'], ['2a01:e0a', 'FR'], ['2a01:cb1c', 'FR'],
    ['2a00:23c5', 'GB'], ['2804:14c', 'BR'],
  ],
  mobile: [['2607:fb90', 'US'], ['2a04:4a43', 'GB'], ['2409:4060', 'IN']],
  hoster: [['2a01:4f8', 'DE'], ['2001:41d0', 'FR'], ['2001:19f0', 'US'], ['2a02:c207', 'DE']],
  relay: [['2606:54c0', 'US'], ['2a09:bac5', 'US'], ['2a02:26f7', 'US'], ['2a04:4e41', 'US']],
}; // prettier-ignore
