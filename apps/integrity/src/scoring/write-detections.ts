import type { PoolClient } from 'pg';
import type { Detection } from '../detection/traffic.js';
import type { Ledger } from '../ledger/ledger.js';
import { commitmentOf, storeSamples, type NewSample } from '../ledger/samples.js';
import type { NewEntry } from '../ledger/payloads.js';
import { contentHash, detectionPayload, samplesOf, sessionsRoot } from './detection-entry.js';
import { cleared } from './cleared.js';
import type { LedgerNames } from './entities.js';
import { SEVERITIES, type Severity } from '../detection/traffic.js';
import { keyOfDetection, storeVerdicts, type NewVerdict, type StoredVerdict } from './stored-verdicts.js';
import { queryOn } from './query.js';

const HOUR_MS = 3_600_000;

/** What is to be appended for a detection, and what it replaces. */
interface Change {
  detection: Detection;
  old: StoredVerdict | undefined;
  root: string;
  hash: string;
}

export interface Changes {
  changes: readonly Change[];
  /** Networks of the open day whose counts changed too little after the last entry, and when they may be written. */
  later: { net: string; day: number; notBefore: Date }[];
}

export function rank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

/**
 * What differs from the ledger. While a day is open an entity gets an entry at most hourly unless its severity rises; a
 * current verdict of which nothing is found any more is replaced by a clean one.
 *
 * @param openDay the local day under way
 * @param hasSessions whether a day has any: of one whose sessions have outlived their days nothing can be said any more
 */
export function changesOf(
  detections: readonly Detection[],
  stored: ReadonlyMap<string, StoredVerdict>,
  { openDay, now, hasSessions }: { openDay: number; now: Date; hasSessions: (day: number) => boolean },
): Changes {
  const changes: Change[] = [];
  const later: Changes['later'] = [];
  const found = new Set<string>();
  const consider = (detection: Detection, old: StoredVerdict | undefined): void => {
    const root = sessionsRoot(detection);
    const hash = contentHash(detection, root);
    if (old?.contentHash === hash) return;
    if (old !== undefined && detection.day >= openDay && rank(detection.severity) <= rank(old.severity)) {
      const notBefore = new Date(old.appendedAt.getTime() + HOUR_MS);
      if (notBefore > now) {
        later.push({ net: detection.sessions[0]?.net ?? '', day: detection.day, notBefore });
        return;
      }
    }
    changes.push({ detection, old, root, hash });
  };
  for (const detection of detections) {
    if (detection.allowed !== undefined) continue;
    const key = keyOfDetection(detection);
    found.add(key);
    consider(detection, stored.get(key));
  }
  for (const [key, old] of stored) {
    if (!found.has(key) && old.severity !== 'clean' && hasSessions(old.day)) consider(cleared(old), old);
  }
  return { changes, later };
}

/** Entries of the ledger, their samples and their rows. */
export async function writeDetections(
  client: PoolClient,
  assetId: string,
  { changes }: Changes,
  names: LedgerNames,
  { ledger, now, sampleDays }: { ledger: Ledger; now: Date; sampleDays: number },
): Promise<NewVerdict[]> {
  if (changes.length === 0) return [];
  const prepared = changes.map(({ detection, old, root }) => {
    const samples = samplesOf(detection).map(({ address, flagged }) => ({ ...commitmentOf(address), flagged }));
    const payload = detectionPayload(detection, {
      entity: names.get(detection.entityId) ?? detection.entityId,
      root,
      commitments: samples.map(({ commitment, flagged }) => [commitment, flagged]),
      supersedes: old?.seq ?? null,
    });
    return { entry: { kind: 'detection', payload } satisfies NewEntry, samples };
  });
  const appended = await ledger.append(
    client,
    assetId,
    prepared.map(({ entry }) => entry),
    now,
  );
  const verdicts: NewVerdict[] = [];
  const superseded: { old: number; by: number }[] = [];
  const samples: NewSample[] = [];
  for (const [place, { seq, hash }] of appended.entries()) {
    const change = changes[place];
    if (change === undefined) throw new Error('The ledger appended more than it was given.');
    verdicts.push({ seq, detection: change.detection, contentHash: change.hash });
    if (change.old !== undefined) superseded.push({ old: change.old.seq, by: seq });
    for (const { salt, address } of prepared[place]?.samples ?? []) samples.push({ entryHash: hash, salt, address });
  }
  const query = queryOn(client);
  await storeSamples(client, assetId, samples, new Date(now.getTime() + sampleDays * 24 * HOUR_MS));
  await storeVerdicts(query, assetId, verdicts, superseded);
  return verdicts;
}
