import type { DisputeSummary } from '#contracts/integrity/entity-dispute.js';
import type { ExportRequest } from '#jobs/export-definition.js';
import { commitment, sampleIps, samplesBySeq, type RevealedSample } from '../claims/claim-samples.js';
import { bySeq, type DetectionEntry } from '../claims/current-entries.js';
import { evidenceHash } from '../claims/evidence-hash.js';
import type { EntityVerdict } from './entity-source.js';
import { entityWasted } from './entity-wasted.js';
import type { LedgerView } from './ledger-reader.js';
import { noteUnverified } from './unverified.js';

/** What the ledger says of an entity, and whether it proves what stands in the tables. */
export function entityEvidence(
  verdicts: readonly EntityVerdict[],
  { current, samples, verdict }: LedgerView,
  { assetId, parameters }: ExportRequest,
): Pick<DisputeSummary, 'estimated_wasted' | 'sample_ips' | 'evidence_hash' | 'chain_verified'> {
  const bySequence = new Map(current.detections.map((entry) => [entry.seq, entry]));
  const own = verdicts.flatMap(({ seq }) => bySequence.get(seq) ?? []);
  const wasted = entityWasted(own, current, parameters, parameters.asset.currency);
  const entries = [...own, ...wasted.bases].sort(bySeq);
  const evidence = entries.length === 0 ? null : evidenceHash(entries.map(({ hash }) => hash));
  const causes = verdict.problem === undefined ? [] : [verdict.problem];
  if (entries.some(({ seq }) => seq > verdict.checkpointSize)) causes.push('an entry is behind the checkpoint');
  if (own.length < verdicts.length || verdicts.some((found, place) => !says(own[place], found)))
    causes.push('a verdict is not what the ledger says');
  if (hasWrongSample(own, samples)) causes.push('a sample address is not what was committed to');
  if (evidence !== null && causes.length > 0) noteUnverified(assetId, evidence, causes);
  return {
    estimated_wasted: wasted.amounts,
    sample_ips: sampleIps(own, samplesBySeq(samples)),
    evidence_hash: evidence,
    chain_verified: evidence !== null && causes.length === 0,
  };
}

function says(entry: DetectionEntry | undefined, verdict: EntityVerdict): boolean {
  if (entry === undefined) return false;
  const { payload } = entry;
  return (
    payload.day === verdict.day &&
    payload.channel === verdict.channel &&
    payload.severity === verdict.severity &&
    Number(payload.p) === verdict.p &&
    payload.counts.flagged_sessions === verdict.flaggedSessions
  );
}

/** Whether a sample of these entries, or one sample twice, stands for no commitment. */
function hasWrongSample(own: readonly DetectionEntry[], samples: readonly RevealedSample[]): boolean {
  const seqs = new Set(own.map(({ seq }) => seq));
  const commitments = new Set(own.flatMap(({ seq, payload }) => payload.ip_commit.map(([hash]) => `${seq} ${hash}`)));
  return samples.some((sample) => seqs.has(sample.seq) && !commitments.delete(`${sample.seq} ${commitment(sample)}`));
}
