import { LIMITS } from './limits.js';
import type { TrafficSession } from './traffic.js';

/** A conversion, at least two distinct paths, or another event than a page view in at least ten seconds. */
export function isEngaged({ conversions, distinctPaths, otherEvents, startedAt, endedAt }: TrafficSession): boolean {
  return (
    conversions > 0 ||
    distinctPaths >= LIMITS.engaged.minPaths ||
    (otherEvents > 0 && endedAt - startedAt >= LIMITS.engaged.minMs)
  );
}

export function isDeclaredBot({ uaClass }: TrafficSession): boolean {
  return uaClass === 'bot' || uaClass === 'automation';
}

/**
 * A conversion, or at least three distinct paths in at least a minute. What says that it is a bot is no human, however
 * long it crawls.
 */
export function looksHuman(session: TrafficSession): boolean {
  if (isDeclaredBot(session)) return false;
  const { conversions, distinctPaths, startedAt, endedAt } = session;
  return conversions > 0 || (distinctPaths >= LIMITS.human.minPaths && endedAt - startedAt >= LIMITS.human.minMs);
}

/** Never flagged, whatever its entities did: it converted, or its known user had converted before. */
export function hasHumanEvidence({ conversions, convertedBefore }: TrafficSession): boolean {
  return conversions > 0 || convertedBefore;
}

export function isPaid({ standing }: TrafficSession): boolean {
  return standing === 'paid';
}
