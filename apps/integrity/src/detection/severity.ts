import type { Evidence } from './combine.js';
import type { EntityWindow } from './entity-window.js';
import { LIMITS } from './limits.js';
import { SEVERITIES, type Severity } from './traffic.js';

const { confirmed, likely, suspected, clicker, declaredBot } = LIMITS.severity;

/** Where a clicker without other evidence counts: behind the addresses of other types stand many people. */
const CLICKER_TYPES: ReadonlySet<string> = new Set(['isp', 'hosting', 'vpn']);

/**
 * The severity of one window, before the guards. A data-centre address alone never confirms, nor does missing
 * engagement alone: that takes three categories of evidence, or sessions that declare to be bots.
 */
export function severityOf(
  { n, converted, networkType }: Pick<EntityWindow, 'n' | 'converted' | 'networkType'>,
  { p, categories, findings }: Evidence,
): Severity {
  const declares = findings.declared_bot.score >= declaredBot;
  if (n >= confirmed.minSessions && p >= confirmed.p && (declares || categories.size >= confirmed.categories))
    return 'confirmed';
  if (n >= likely.minSessions && p >= likely.p && (declares || categories.size >= likely.categories)) return 'likely';
  const clicks = Math.max(findings.click_flood.score, findings.repeat_click.score);
  const isClicker =
    n >= clicker.minSessions &&
    clicks >= clicker.clicks &&
    findings.no_engagement.score >= clicker.noEngagement &&
    converted === 0 &&
    CLICKER_TYPES.has(networkType);
  if (isClicker) return 'likely';
  return n >= suspected.minSessions && p >= suspected.p ? 'suspected' : 'clean';
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
