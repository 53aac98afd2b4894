import type { NetworkType } from '../networks/network-types.js';
import { isDeclaredBot, isPaid, looksHuman } from './engagement.js';
import type { EntityType, TrafficSession } from './traffic.js';

/** What one entity did in one scoring window, counted once for all detectors. */
export class EntityWindow {
  /** By start. */
  readonly sessions: readonly TrafficSession[];
  readonly entityType: EntityType;
  /** Of most of its sessions. */
  readonly networkType: NetworkType;
  readonly asn: number | null;
  readonly asnOrg: string | null;
  readonly paid: number;
  /** Paid landing hits: clicks. */
  readonly clicks: number;
  /** Sessions with a conversion. */
  readonly converted: number;
  readonly declaredBots: number;
  /** Sessions of browsers inside other apps. */
  readonly inApp: number;
  /** Sessions that look human. */
  readonly humans: number;

  /** @param sessions at least one, by start */
  constructor(entityType: EntityType, sessions: readonly TrafficSession[]) {
    this.entityType = entityType;
    this.sessions = sessions;
    let paid = 0;
    let clicks = 0;
    let converted = 0;
    let declaredBots = 0;
    let inApp = 0;
    let humans = 0;
    for (const session of sessions) {
      if (isPaid(session)) {
        paid++;
        clicks += session.landingHits.length;
      }
      if (session.conversions > 0) converted++;
      if (session.uaClass === 'in_app') inApp++;
      if (isDeclaredBot(session)) declaredBots++;
      else if (looksHuman(session)) humans++;
    }
    this.paid = paid;
    this.clicks = clicks;
    this.converted = converted;
    this.declaredBots = declaredBots;
    this.inApp = inApp;
    this.humans = humans;
    const usual = sessionOfMostNetworks(sessions);
    this.networkType = usual?.networkType ?? 'unknown';
    this.asn = usual?.asn ?? null;
    this.asnOrg = usual?.asnOrg ?? null;
  }

  get n(): number {
    return this.sessions.length;
  }
}

/** A session of the AS and network type that most sessions have; of equal ones the first. */
function sessionOfMostNetworks(sessions: readonly TrafficSession[]): TrafficSession | undefined {
  const [first] = sessions;
  if (
    first === undefined ||
    sessions.every(({ asn, networkType }) => asn === first.asn && networkType === first.networkType)
  )
    return first;
  const counts = new Map<string, { session: TrafficSession; count: number }>();
  for (const session of sessions) {
    const key = `${session.networkType} ${session.asn ?? ''}`;
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { session, count: 1 });
    else known.count++;
  }
  let most = { session: first, count: 0 };
  for (const one of counts.values()) if (one.count > most.count) most = one;
  return most.session;
}
