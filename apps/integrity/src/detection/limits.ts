import { createHash } from 'node:crypto';
import { canonicalJson } from '../ledger/canonical-json.js';
import type { LedgerPayloads } from '../ledger/payloads.js';
import type { Detector } from './traffic.js';

/** Written to the ledger with every number below; whoever changes one changes it. */
export const DETECTOR_VERSION = '2026.11.1';

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

function frozen<T extends object>(value: T): DeepReadonly<T> {
  for (const member of Object.values(value))
    if (typeof member === 'object' && member !== null) frozen(member as object);
  return Object.freeze(value) as DeepReadonly<T>;
}

/** How much a detector with score 1 counts. */
export const WEIGHTS: Readonly<Record<Detector, number>> = frozen({
  declared_bot: 0.97,
  hosting_network: 0.45,
  click_flood: 0.75,
  repeat_click: 0.7,
  no_engagement: 0.7,
  conversion_void: 0.4,
  path_template: 0.55,
  regular_interval: 0.75,
  night_flat: 0.5,
  clock_locked: 0.75,
  burst: 0.6,
  id_churn: 0.35,
  ua_impossible: 0.6,
  geo_conflict: 0.6,
  network_hopping: 0.6,
  paid_only: 0.45,
});

/**
 * Every limit of detection. Shares lie in 0 to 1, times are in milliseconds unless the name says otherwise, `min…` are
 * counts below which a detector or verdict says nothing; `from` and `span` are a and b of clamp((x − a)/b).
 */
export const LIMITS = frozen({
  windowDays: 7,
  baseline: {
    /** Sessions that one network gives to a window. */
    perNetwork: 20,
    shrinkageWeight: 20,
    minChannelSessions: 30,
    bounceOfSmallChannel: 0.6,
    minConversionRate: 0.002,
    hourPrior: 0.5,
  },
  engaged: { minPaths: 2, minMs: 10_000 },
  human: { minPaths: 3, minMs: 60_000, discount: 0.6, fullAt: 0.25 },
  hostingNetwork: { hosting: 1, tor: 0.9, vpn: 0.6, relay: 0.2, cdn: 0.2 },
  clickFlood: { mobile: 40, office: 25, other: 8, doublings: 2, withinMs: 3_600_000 },
  repeatClick: { mobile: 60, office: 40, other: 6, doublings: 2 },
  noEngagement: { minPaid: 5, zFrom: 2, zSpan: 4, shareSpan: 0.3, variance: 0.25 },
  conversionVoid: { minPaid: 10, decades: 2.5 },
  pathTemplate: { minSessions: 10, stepMs: 4_000, mostSessions: 60, from: 0.55, span: 0.4 },
  regularInterval: { minGaps: 12, from: 0.65, span: 0.45 },
  nightFlat: { minSessions: 20, firstHour: 1, endHour: 6, from: 2.5, span: 4, variance: 0.25 },
  clockLocked: { minSessions: 20, from: 0.3, span: 0.5, chanceFrom: 6, chanceSpan: 6, circleMs: 60_000 },
  burst: { minPaid: 50, withinMs: 1_200_000, from: 0.3, span: 0.4 },
  idChurn: { minSessions: 15, returning: 0.12, perHostAndDay: 0.3 },
  uaImpossible: { mostBaselineEmpty: 0.05 },
  geoConflict: { withinMs: 86_400_000, span: 2, visitorWithinMs: 7_200_000 },
  networkHopping: { from: 4, span: 8 },
  paidOnly: { minSessions: 8, zFrom: 2.5, zSpan: 5, shareFrom: 0.7, shareSpan: 0.3, unpaidOfBaseline: 0.1 },
  severity: {
    evidence: 0.5,
    idChurn: 0.8,
    declaredBot: 0.7,
    confirmed: { minSessions: 10, p: 0.85, categories: 3 },
    likely: { minSessions: 5, p: 0.65, categories: 2 },
    clicker: { minSessions: 10, clicks: 0.95, noEngagement: 0.25 },
    paidClicker: { minSessions: 10, clicks: 0.75, paidOnly: 0.75, p: 0.7 },
    machineSign: { likely: 0.25, confirmed: 0.5 },
    dataCentre: { minSessions: 10, hosting: 0.55, vpn: 0.6, tor: 0.6 },
    suspected: { minSessions: 3, p: 0.4 },
  },
  guards: { inAppShare: 0.5, minHostSessions: 10, mostUnflagged: 0.1 },
  pool: { mostSessions: 9, unengagedPaid: 0.7 },
});

/** Limits and weights as the ledger keeps them. */
export function configPayload(): Pick<LedgerPayloads['config'], 'detector_version' | 'limits' | 'weights'> {
  const limits: Record<string, string> = {};
  flatten(LIMITS, '', limits);
  const weights = Object.fromEntries(Object.entries(WEIGHTS).map(([code, weight]) => [code, String(weight)]));
  return { detector_version: DETECTOR_VERSION, limits, weights: weights as Record<Detector, string> };
}

/** SHA-256 in hex over version, limits and weights: measured results name the constants that they were measured with. */
export function constantsHash(): string {
  return createHash('sha256').update(canonicalJson(configPayload())).digest('hex');
}

function flatten(group: object, prefix: string, into: Record<string, string>): void {
  for (const [name, value] of Object.entries(group) as [string, unknown][]) {
    if (typeof value === 'object' && value !== null) flatten(value, `${prefix}${name}.`, into);
    else into[`${prefix}${name}`] = String(value);
  }
}
