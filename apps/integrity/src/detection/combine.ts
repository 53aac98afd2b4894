import type { Baseline } from './baseline.js';
import { ALL_DETECTORS, type Category } from './detectors/all-detectors.js';
import { SILENT, type Finding } from './detectors/finding.js';
import type { EntityWindow } from './entity-window.js';
import { LIMITS, WEIGHTS } from './limits.js';
import { clamp, wilsonLowerBound } from './statistics.js';
import { DETECTORS, type Detector, type IvtClass, type Reason } from './traffic.js';

export type Findings = Readonly<Record<Detector, Finding>>;

/** What all detectors together say of one entity in one window. */
export interface Evidence {
  readonly findings: Findings;
  /** 0 to 1, lowered by signs of people. */
  readonly p: number;
}

/** @param without detectors that are not asked: to measure what each is good for */
export function evidenceOf(window: EntityWindow, baseline: Baseline, without?: ReadonlySet<Detector>): Evidence {
  const ask = (code: Detector): Finding => (without?.has(code) ? SILENT : ALL_DETECTORS[code].detect(window, baseline));
  // A literal, because this is done for every entity and window, and gathering entries takes longer than the detectors.
  const findings: Findings = {
    declared_bot: ask('declared_bot'),
    hosting_network: ask('hosting_network'),
    click_flood: ask('click_flood'),
    repeat_click: ask('repeat_click'),
    no_engagement: ask('no_engagement'),
    conversion_void: ask('conversion_void'),
    path_template: ask('path_template'),
    regular_interval: ask('regular_interval'),
    night_flat: ask('night_flat'),
    clock_locked: ask('clock_locked'),
    burst: ask('burst'),
    id_churn: ask('id_churn'),
    ua_impossible: ask('ua_impossible'),
    geo_conflict: ask('geo_conflict'),
    network_hopping: ask('network_hopping'),
    paid_only: ask('paid_only'),
  };
  return { findings, p: combinedScore(findings) * humanFactor(window.humans, window.n) };
}

/**
 * The categories with at least one score of .5. Outside data centres paid clicks alone are no category, and new ids only
 * from P ≥ .8: both hold for people in app browsers and for those whom a bad campaign sends away (P up to .72 measured).
 */
export function categoriesOf({ findings, p }: Evidence): Set<Category> {
  const inDataCentre = findings.hosting_network.score >= LIMITS.severity.evidence;
  const counts = (code: Detector): boolean =>
    inDataCentre || (code !== 'paid_only' && (code !== 'id_churn' || p >= LIMITS.severity.idChurn));
  return new Set(
    strongCodes(findings)
      .filter(counts)
      .map((code) => ALL_DETECTORS[code].category),
  );
}

/** P = 1 − Π(1 − wᵢsᵢ): the chance that one of independent pieces of evidence holds. */
export function combinedScore(findings: Findings): number {
  let rest = 1;
  for (const code of DETECTORS) rest *= 1 - WEIGHTS[code] * findings[code].score;
  return 1 - rest;
}

/** 1 − .6·cl(h/.25), h = WLB(sessions that look human, n). */
export function humanFactor(humans: number, n: number): number {
  const { discount, fullAt } = LIMITS.human;
  return 1 - discount * clamp(wilsonLowerBound(humans, n) / fullAt);
}

/** Detectors with a score above 0 and their share of the score, ln(1 − wᵢsᵢ) / Σ ln(1 − wⱼsⱼ), strongest first. */
export function reasonsOf(findings: Findings): Reason[] {
  const parts = DETECTORS.filter((code) => findings[code].score > 0).map((code) => ({
    code,
    part: Math.log1p(-WEIGHTS[code] * findings[code].score),
  }));
  const whole = parts.reduce((sum, { part }) => sum + part, 0);
  return parts
    .map(({ code, part }) => {
      const { observed, limit, sentence } = findings[code];
      return { code, observed, limit, sentence, contribution: part / whole };
    })
    .sort((a, b) => b.contribution - a.contribution || DETECTORS.indexOf(a.code) - DETECTORS.indexOf(b.code));
}

/** GIVT if it declares to be a bot, or if lists and routine checks alone are strong; without strong evidence SIVT. */
export function ivtClassOf(findings: Findings): IvtClass {
  if (findings.declared_bot.score >= LIMITS.severity.declaredBot) return 'GIVT';
  const classes = strongCodes(findings)
    .map((code) => ALL_DETECTORS[code].ivtClass)
    .filter((ivtClass) => ivtClass !== null);
  return classes.length > 0 && classes.every((ivtClass) => ivtClass === 'GIVT') ? 'GIVT' : 'SIVT';
}

export function scoresOf(findings: Findings): Record<Detector, number> {
  return Object.fromEntries(DETECTORS.map((code) => [code, findings[code].score])) as Record<Detector, number>;
}

function strongCodes(findings: Findings): Detector[] {
  return DETECTORS.filter((code) => findings[code].score >= LIMITS.severity.evidence);
}
