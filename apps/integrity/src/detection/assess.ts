import { setImmediate as nextTurn } from 'node:timers/promises';
import { AllowList } from './allow.js';
import { inOrder } from './day-slices.js';
import { dayVerdicts, type DayVerdict } from './day-verdicts.js';
import { detectionsOf, type EntityRef } from './detections.js';
import { judgeBy } from './judge.js';
import { LIMITS } from './limits.js';
import type { Assessment, AssessmentRequest, Detection, Detector, EntityType, TrafficSession } from './traffic.js';
import { WindowScorer, type EntityVerdicts } from './windows.js';

/** A session counts once, under the first of these that is flagged. */
const COUNTING_ORDER: readonly EntityType[] = ['host', 'network', 'visitor', 'asn'];

export interface AssessOptions {
  /** Detectors that say nothing: to measure what each is good for. */
  readonly without?: ReadonlySet<Detector>;
}

/**
 * Scores the traffic of an asset. Every window of seven local days that holds a wanted day is looked at; sessions of reserved
 * addresses are left out, those without an address count for their visitor alone. The order of the sessions does not matter.
 *
 * Sessions that a rule allows are left out as well, of the baseline too. What their entities would have been with them is
 * told apart, when it is not what they are anyway.
 */
export function assess(request: AssessmentRequest, options: AssessOptions = {}): Assessment {
  const steps = windowsOf(request, options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same, letting others have their turn between windows: one of a large asset takes a second. */
export async function assessInTurns(request: AssessmentRequest): Promise<Assessment> {
  const steps = windowsOf(request, {});
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

/** Stops after each window. */
function* windowsOf(request: AssessmentRequest, { without }: AssessOptions): Generator<undefined, Assessment> {
  const { firstDay, lastDay, throughDay } = request;
  const allow = new AllowList(request.allow);
  const ordered = inOrder(request.sessions.filter(({ networkType }) => networkType !== 'reserved'));
  const scored = ordered.filter((session) => allow.ruleFor(session) === undefined);
  const scorer = new WindowScorer(scored);
  const unfiltered = scored.length === ordered.length ? undefined : new WindowScorer(ordered);
  const lastWindow = Math.min(lastDay + LIMITS.windowDays - 1, throughDay);
  for (let day = firstDay; day <= lastWindow; day++) {
    const judge = judgeBy(scorer.baselineOf(day), without);
    scorer.score(day, judge);
    unfiltered?.score(day, judge);
    yield undefined;
  }
  const detections = found(scorer, request);
  if (unfiltered !== undefined) detections.push(...allowed(unfiltered, detections, allow, request));
  return { detections: detections.sort(byDayEntityChannel) };
}

function found({ entities }: WindowScorer, { firstDay, lastDay, assetId }: AssessmentRequest): Detection[] {
  const claimed = new Set<TrafficSession>();
  const detections: Detection[] = [];
  for (const type of COUNTING_ORDER) {
    for (const entity of entities.values()) {
      if (entity.type !== type) continue;
      for (const verdict of dayVerdicts(entity, firstDay, lastDay)) {
        detections.push(...detectionsOf(entity, verdict, assetId, type === 'asn' ? undefined : claimed));
      }
    }
  }
  return detections;
}

/** Entities that are suspected or worse only with the sessions that a rule allows. */
function allowed(
  { entities }: WindowScorer,
  detections: readonly Detection[],
  allow: AllowList,
  { firstDay, lastDay, assetId }: AssessmentRequest,
): Detection[] {
  const known = new Set(
    detections.map(({ entityType, entityKey, day }) => keyOf({ type: entityType, key: entityKey }, day)),
  );
  const clean: Detection[] = [];
  for (const entity of entities.values()) {
    for (const verdict of dayVerdicts(entity, firstDay, lastDay)) {
      const rule = known.has(keyOf(entity, verdict.day)) ? undefined : ruleOf(verdict, allow);
      if (rule === undefined) continue;
      const { severity } = verdict.verdict;
      for (const detection of detectionsOf(entity, verdict, assetId, undefined)) {
        clean.push({ ...detection, severity: 'clean', allowed: { rule, severity } });
      }
    }
  }
  return clean;
}

function ruleOf({ sessions }: DayVerdict, allow: AllowList): string | undefined {
  for (const session of sessions) {
    const rule = allow.ruleFor(session);
    if (rule !== undefined) return rule.id;
  }
  return undefined;
}

function keyOf({ type, key }: EntityRef | EntityVerdicts, day: number): string {
  return `${day} ${type} ${key}`;
}

function byDayEntityChannel(a: Detection, b: Detection): number {
  return (
    a.day - b.day || compare(a.entityId, b.entityId) || compare(a.channel, b.channel) || compare(tieOf(a), tieOf(b))
  );
}

function tieOf({ standing, asn, networkType }: Detection): string {
  return `${standing} ${asn ?? ''} ${networkType}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
