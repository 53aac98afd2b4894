import { HOSTER_NAMES } from './hoster-names.js';
import type { NetworkType } from './network-types.js';
import { TOR_NAMES, VPN_NAMES } from './private-exit-names.js';

const ISP_WORDS = anyOf([
  'tele(c|k)om',
  'telco\\b',
  'tele(f|ph)on',
  'com+un?ica',
  'kom+unika',
  'broad ?band',
  'inter ?net',
  'cable',
  'kabel',
  'fib(er|re|ra)',
  'wireless',
  'wi-?fi',
  '\\bisp\\b',
  'dsl',
  'ftth',
  'satel',
  'broadcast',
  'televis',
  'provedor',
  'provider',
]);

/** Words of hosters that small providers like as well: they count only without a word of a provider. */
const WEAK_HOSTING_WORDS = new RegExp(
  `^(?!.*(${ISP_WORDS.source})).*(${['nodes?\\b', 'layer', 'virtual', '\\bweb(?!ster|er\\b|pass|ex|bing)', 'web\\b', 'managed', 'storage', 'backup', '\\binfra\\b'].join('|')})`,
  'i',
);

/** Parts of words, in the languages that organisations register their names in. First match wins. */
const RULES: readonly (readonly [NetworkType, RegExp])[] = [
  ['tor', anyOf(['\\btor[- ]?(exit|relay|project|servers)', ...TOR_NAMES])],
  ['vpn', anyOf(['vpn', '\\bprox(y|ies)', 'anonym', ...VPN_NAMES])],
  [
    'hosting',
    anyOf([
      'host(?!el|ess)',
      'cloud',
      'server(?!vice)',
      'serwer',
      'servidor',
      'serveur',
      'sunucu',
      '\\bv[dp]s',
      'v[dp]s\\b',
      '\\biaas\\b',
      'data ?-?cent(er|re|rum|r)',
      'datacent',
      'cent(er|re|ro) de da(ta|dos|tos)',
      '\\bidc\\b',
      'colo\\b',
      '\\bcolo[ucg]',
      'co-?location',
      '\\bdedi(\\b|[cps])',
      'dedicated',
      'bare ?metal',
      '\\brack(?!et)',
      '\\bdata(web|bank|source|cheap| ?room| ?miners|pipe|space|base|line|store|bunker|haus|hub|forest|packet|club|logic| ?102)',
      'registrar',
      'ddos',
      '\\bcdn',
      'cdn\\b',
      ...HOSTER_NAMES,
    ]),
  ],
  ['hosting', WEAK_HOSTING_WORDS],
  [
    'education',
    anyOf([
      'univ(\\b|er[sz])',
      'uniwers',
      'hochschul',
      'polit[eé]cni',
      'polytech',
      'colleg',
      'school',
      'schul',
      'academ',
      'akadem',
      'institut',
      'educa',
      'campus',
      'faculdade',
      'esc(ue|o)la\\b',
      'lyc[eé]e',
      'k-?12\\b',
      'student',
      'research',
    ]),
  ],
  [
    'government',
    anyOf([
      'government',
      'gobierno',
      'governo',
      'gouvernement',
      'minist(ry|[eè]r|erst)',
      'municip',
      '\\bcity of\\b',
      '\\bcounty\\b',
      '\\bstate of\\b',
      '\\bdepartment of\\b',
      '\\bparliament',
      '\\bsenate\\b',
      '\\bpolice\\b',
      '\\barmy\\b',
      '\\bnavy\\b',
      '\\bair force\\b',
      'military',
      'defen[cs]e',
      'prefeitura',
      'ayuntamiento',
      'kommun(e|er)?\\b',
      'landkreis',
      'bundes(amt|anstalt|agentur)',
      'federal (agency|service|bureau|office)',
    ]),
  ],
  ['mobile', anyOf(['(?<!auto|exxon ?)mobil', 'm[oó]vil', 'cel(l?)ular', '\\bgsm\\b', '\\blte\\b'])],
  ['isp', ISP_WORDS],
];

function anyOf(parts: readonly string[]): RegExp {
  return new RegExp(parts.join('|'), 'i');
}

/** What the registered name of an organisation says about its network; undefined when it says nothing. */
export function typeOfName(organisation: string): NetworkType | undefined {
  return RULES.find(([, pattern]) => pattern.test(organisation))?.[0];
}
