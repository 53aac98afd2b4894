import type { Assessment, AssessmentRequest, TrafficSession } from '#apps/integrity/src/detection/traffic.js';
import { NetworkKnowledge } from '#apps/integrity/src/networks/network-knowledge.js';
import { NetworksConfig } from '#apps/integrity/src/networks/networks.config.js';
import { evaluate, type Evaluation } from './evaluate.js';
import { SUITES, type Suite } from './suites.js';
import { simulate, type Scenario, type SimulatedTraffic } from './scenario.js';
import { buildSessions } from './sessions.js';

export type Assess = (request: AssessmentRequest) => Assessment;

let knowledge: NetworkKnowledge | undefined;

/** A scenario's traffic with the sessions that the product makes of it. */
export function trafficOf(scenario: Scenario): { traffic: SimulatedTraffic; sessions: TrafficSession[] } {
  knowledge ??= NetworkKnowledge.load(new NetworksConfig());
  const traffic = simulate(scenario);
  return { traffic, sessions: buildSessions(traffic.events, knowledge, traffic.timezone) };
}

/** Everything that detection has to say of a traffic on its last day. */
export function requestOf(traffic: SimulatedTraffic, sessions: readonly TrafficSession[]): AssessmentRequest {
  const { firstDay, lastDay, scenario } = traffic;
  return { sessions, firstDay, lastDay, throughDay: lastDay, allow: [], assetId: `asset-${scenario.seed}` };
}

/** Figures of one seed of a suite. `more` changes its scenario. */
export function runSeed(suite: Suite, seed: number, assess: Assess, more: Partial<Scenario> = {}): Evaluation {
  const { traffic, sessions } = trafficOf({ ...SUITES[suite], ...more, seed });
  return evaluate(traffic, sessions, assess(requestOf(traffic, sessions)));
}
