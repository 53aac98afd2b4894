import type { Baseline } from './baseline.js';
import { evidenceOf, type Evidence } from './combine.js';
import { EntityWindow } from './entity-window.js';
import { guardShared } from './guards.js';
import { severityOf } from './severity.js';
import type { Detector, EntityType, Severity, TrafficSession } from './traffic.js';

export interface Judgement {
  readonly window: EntityWindow;
  readonly evidence: Evidence;
  readonly severity: Severity;
}

/** Says what one entity is by its sessions in one window, at least one, in order. */
export type Judge = (entityType: EntityType, sessions: readonly TrafficSession[]) => Judgement;

/**
 * The judge of a window: an entity is counted, looked at by all detectors, and left with what the guard for shared addresses
 * allows.
 *
 * @param without detectors that are not asked
 */
export function judgeBy(baseline: Baseline, without?: ReadonlySet<Detector>): Judge {
  return (entityType, sessions) => {
    const window = new EntityWindow(entityType, sessions);
    const evidence = evidenceOf(window, baseline, without);
    const severity = guardShared(severityOf(window, evidence), window, evidence);
    return { window, evidence, severity };
  };
}
