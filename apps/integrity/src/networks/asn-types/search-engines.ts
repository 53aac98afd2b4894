import type { KnownAsn } from './known-asn.js';

/** Search engines with networks of their own. Those of Google and Microsoft also serve their clouds and count as hosting. */
export const SEARCH_ENGINES: readonly KnownAsn[] = [
  [13238, 'Yandex'],
  [38365, 'Baidu'],
  [23576, 'NAVER'],
  [43037, 'Seznam'],
  [47764, 'VK'],
];
