import { categoriesOf, type Evidence } from './combine.js';
import type { EntityWindow } from './entity-window.js';
import { LIMITS } from './limits.js';
import { SEVERITIES, type Severity } from './traffic.js';

const { confirmed, likely, suspected, clicker, paidClicker, dataCentre, declaredBot } = LIMITS.severity;

type Counts = Pick<EntityWindow, 'n' | 'converted' | 'networkType'>;

/** Where a clicker without other evidence counts: behind the addresses of other types stand many people. */
const CLICKER_TYPES: ReadonlySet<string> = new Set(['isp', 'hosting', 'vpn']);

/**
 * The severity of one window, before the guards. A data-centre address alone never confirms, nor does missing
 * engagement alone: that takes three categories of evidence, or sessions that declare to be bots.
 */
export function severityOf(window: Counts, evidence: Evidence): Severity {
  const byScore = severityByScore(window.n, evidence);
  if (byScore === 'confirmed') return byScore;
  return isClicker(window, evidence) || isDataCentre(window, evidence) ? 'likely' : byScore;
}

function severityByScore(n: number, { p, findings }: Evidence): Severity {
  if (n < suspected.minSessions || p < suspected.p) return 'clean';
  if (n < likely.minSessions || p < likely.p) return 'suspected';
  const declares = findings.declared_bot.score >= declaredBot;
  const categories = categoriesOf(findings).size;
  if (n >= confirmed.minSessions && p >= confirmed.p && (declares || categories >= confirmed.categories))
    return 'confirmed';
  return declares || categories >= likely.categories ? 'likely' : 'suspected';
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
