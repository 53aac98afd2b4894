import { categoriesOf, type Evidence } from './combine.js';
import type { EntityWindow } from './entity-window.js';
import { LIMITS } from './limits.js';
import { SEVERITIES, type Detector, type Severity } from './traffic.js';

const { confirmed, likely, suspected, clicker, paidClicker, machineSign, dataCentre, declaredBot } = LIMITS.severity;

type Counts = Pick<EntityWindow, 'n' | 'converted' | 'networkType'>;

/** Whoever stands there, it is no office with many people behind one address. */
const DATA_CENTRES: ReadonlySet<string> = new Set(['hosting', 'vpn', 'tor']);

/** What machines do, and many people behind one address don't. */
const MACHINE_SIGNS: readonly Detector[] = [
  'declared_bot',
  'no_engagement',
  'path_template',
  'regular_interval',
  'clock_locked',
  'burst',
  'ua_impossible',
  'geo_conflict',
  'network_hopping',
];

/** Where a clicker without other evidence counts: behind the addresses of other types stand many people. */
const CLICKER_TYPES: ReadonlySet<string> = new Set(['isp', 'hosting', 'vpn']);

/**
 * The severity of one window, before the guards. A data-centre address alone never confirms, nor does missing
 * engagement alone: that takes three categories of evidence, or sessions that declare to be bots.
 */
export function severityOf(window: Counts, evidence: Evidence): Severity {
  const byScore = guardOffices(severityByScore(window.n, evidence), window, evidence);
  if (byScore === 'confirmed') return byScore;
  return isClicker(window, evidence) || isDataCentre(window, evidence) ? 'likely' : byScore;
}

function severityByScore(n: number, evidence: Evidence): Severity {
  const { p, findings } = evidence;
  if (n < suspected.minSessions || p < suspected.p) return 'clean';
  if (n < likely.minSessions || p < likely.p) return 'suspected';
  const declares = findings.declared_bot.score >= declaredBot;
  const categories = categoriesOf(evidence).size;
  if (n >= confirmed.minSessions && p >= confirmed.p && (declares || categories >= confirmed.categories))
    return 'confirmed';
  return declares || categories >= likely.categories ? 'likely' : 'suspected';
}

/**
 * Behind one address of an office or a call centre people click often, at night as well, with cookies that are cleared, and
 * buy nothing. Outside data centres that is not enough: some sign has to be there that people do not give.
 */
function guardOffices(severity: Severity, { networkType }: Counts, { findings }: Evidence): Severity {
  if (!isFlagged(severity) || DATA_CENTRES.has(networkType)) return severity;
  const sign = Math.max(...MACHINE_SIGNS.map((code) => findings[code].score));
  if (sign < machineSign.likely) return 'suspected';
  return sign < machineSign.confirmed ? 'likely' : severity;
}

/** Somebody who clicks and clicks, and does nothing else, whatever the other detectors say. */
function isClicker({ n, converted, networkType }: Counts, { findings, p }: Evidence): boolean {
  if (n < clicker.minSessions || converted > 0 || !CLICKER_TYPES.has(networkType)) return false;
  const clicks = Math.max(findings.click_flood.score, findings.repeat_click.score);
  return (
    (clicks >= clicker.clicks && findings.no_engagement.score >= clicker.noEngagement) ||
    (clicks >= paidClicker.clicks && findings.paid_only.score >= paidClicker.paidOnly && p >= paidClicker.p)
  );
}

/**
 * A hosting, VPN or Tor network without a conversion needs little else: people there (remote desktops, gateways) convert and
 * look around, which lowers P. Measured: no network of people above .47, farms that imitate people at .5 to .65.
 */
function isDataCentre({ n, converted, networkType }: Counts, { p }: Evidence): boolean {
  if (n < dataCentre.minSessions || converted > 0) return false;
  return (networkType === 'hosting' || networkType === 'vpn' || networkType === 'tor') && p >= dataCentre[networkType];
}

export function rankOf(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

/** Likely or confirmed: its sessions count as invalid traffic. */
export function isFlagged(severity: Severity): boolean {
  return severity === 'likely' || severity === 'confirmed';
}

export function lower(a: Severity, b: Severity): Severity {
  return rankOf(a) <= rankOf(b) ? a : b;
}
