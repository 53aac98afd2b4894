import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import type { OutboxTransaction } from '#messaging/outbox.js';
import { localDaysOf } from '#ingest/local-days.js';
import { assessInTurns } from '../detection/assess.js';
import type { AllowRule } from '../detection/traffic.js';
import { loadTraffic, trafficContext, type TrafficContext } from '../ingest/load-traffic.js';
import type { IntegrityConfig } from '../integrity.config.js';
import type { IntegrityOutbox } from '../integrity-outbox.js';
import type { Ledger } from '../ledger/ledger.js';
import type { NetworkKnowledge } from '../networks/network-knowledge.js';
import { allowRules, noteRules, noteUses } from './allow-rules.js';
import { noteConfig } from './config-entry.js';
import { writeCostBasis } from './cost-basis.js';
import { reloadCosts } from './cost-days.js';
import { updateCurrentVerdicts } from './current-verdicts.js';
import { daysToAssess, daysToLoad, type DayRange } from './day-ranges.js';
import { changedDays, clearDirty, markLater, newestDay, readDirty, recheckedDays, sessionsByDay } from './dirty.js';
import { knownNames, noteEntities } from './entities.js';
import { flagSessions, flagsOf, type Flags } from './flags.js';
import { queryOn, type Query } from './query.js';
import { storedVerdicts } from './stored-verdicts.js';
import { changesOf, writeDetections } from './write-detections.js';

export interface ScoringParts {
  dataSource: DataSource;
  outbox: IntegrityOutbox;
  ledger: Ledger;
  networks: NetworkKnowledge;
  config: IntegrityConfig;
  /** Days for which sample addresses are kept. */
  sampleDays: number;
}

export interface Scored {
  sessions: number;
  detections: number;
  /** Entries that the ledger got. */
  entries: number;
}

const NOTHING: Scored = { sessions: 0, detections: 0, entries: 0 };

/** Second key of the lock under which an asset is scored. */
const SCORING = 3000;

/**
 * Scores what changed of an asset since the last time, in one transaction: costs, allow rules, verdicts, ledger and
 * events; whoever is killed in the middle leaves nothing.
 *
 * @returns undefined when another process scores it, or it is gone
 */
export async function scoreAsset(parts: ScoringParts, assetId: string, now = new Date()): Promise<Scored | undefined> {
  return parts.outbox.transaction(async (tx) => {
    const client = (await tx.queryRunner.connect()) as PoolClient;
    const query = queryOn(client);
    await query('SET LOCAL jit = off');
    const [lock] = await query<{ locked: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${SCORING}, hashtext($1)) AS locked`,
      [assetId],
    );
    if (lock?.locked !== true) return undefined;
    const [asset] = await query<{ timezone: string }>('SELECT timezone FROM access.asset WHERE asset_id = $1', [
      assetId,
    ]);
    if (asset === undefined) return undefined;
    const today = localDaysOf(asset.timezone).at(now.getTime() * 1000);
    return score({ parts, tx, client, query, assetId, today, now, timezone: asset.timezone });
  });
}

interface Pass {
  parts: ScoringParts;
  tx: OutboxTransaction;
  client: PoolClient;
  query: Query;
  assetId: string;
  today: number;
  now: Date;
  timezone: string;
}

async function score(pass: Pass): Promise<Scored> {
  const { parts, client, query, assetId, today, now } = pass;
  const { ledger, config } = parts;
  const dirty = await readDirty(query, assetId);
  const costs = await reloadCosts(query, assetId);
  await noteConfig(client, assetId, pass.timezone, { ledger, networks: parts.networks, now });
  const rulesChanged = await noteRules(client, assetId, ledger, now);
  const changed = await changedDays(query, assetId, dirty, costs.newChannels);
  if (rulesChanged) for (const day of await recheckedDays(query, assetId)) changed.add(day);
  const through = await newestDay(query, assetId, today);
  if (through === undefined) {
    await clearDirty(query, assetId, dirty, null);
    return NOTHING;
  }
  await writeCostBasis(client, assetId, new Set([...changed, ...costs.days]), {
    ledger,
    now,
    openDay: today,
    granularity: config.COST_GRANULARITY,
  });
  const scored = { ...NOTHING };
  const flagged: { range: DayRange; flags: Flags }[] = [];
  const touched = new Set<string>();
  const counts = await sessionsByDay(query, assetId);
  const context = await trafficContext(query, assetId, parts.networks);
  const allow = await allowRules(query, assetId);
  for (const range of daysToAssess(changed, through, (day) => counts.get(day) ?? 0)) {
    const { scored: part, flags } = await scoreRange(pass, range, { through, counts, touched, context, allow });
    flagged.push({ range, flags });
    scored.sessions += part.sessions;
    scored.detections += part.detections;
    scored.entries += part.entries;
  }
  await updateCurrentVerdicts(client, pass.tx, assetId, {
    entityIds: [...touched],
    today,
    ledger,
    now,
    patience: config,
  });
  // Last: ingest waits for the rows of the sessions.
  for (const { range, flags } of flagged) await flagSessions(query, assetId, range, flags);
  await clearDirty(query, assetId, dirty, through);
  return scored;
}

/** What all ranges of a pass share. */
interface RangeParts {
  through: number;
  /** Sessions by day. */
  counts: ReadonlyMap<number, number>;
  /** Takes the entities with new verdicts. */
  touched: Set<string>;
  context: TrafficContext;
  allow: readonly AllowRule[];
}

async function scoreRange(
  { parts, client, query, assetId, today, now }: Pass,
  range: DayRange,
  { through, counts, touched, context, allow }: RangeParts,
): Promise<{ scored: Scored; flags: Flags }> {
  const loaded = daysToLoad(range, through);
  const sessions = await loadTraffic(query, assetId, loaded.first, loaded.last, context);
  const { detections } = await assessInTurns({
    assetId,
    sessions,
    firstDay: range.first,
    lastDay: range.last,
    throughDay: through,
    allow,
  });
  const { ledger } = parts;
  await noteEntities(query, assetId, detections);
  const stored = await storedVerdicts(query, assetId, range);
  const entities = new Set([...detections, ...stored.values()].map(({ entityId }) => entityId));
  const names = await knownNames(query, assetId, entities);
  await noteUses(client, assetId, detections, names, { ledger, now });
  const hasSessions = (day: number): boolean => (counts.get(day) ?? 0) > 0;
  const changes = changesOf(detections, stored, { openDay: today, now, hasSessions });
  const verdicts = await writeDetections(client, assetId, changes, names, {
    ledger,
    now,
    sampleDays: parts.sampleDays,
  });
  await markLater(query, assetId, changes.later);
  for (const { detection } of verdicts) touched.add(detection.entityId);
  return {
    scored: { sessions: sessions.length, detections: detections.length, entries: verdicts.length },
    flags: flagsOf(detections),
  };
}
