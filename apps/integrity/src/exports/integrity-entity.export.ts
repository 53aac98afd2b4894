import { bytesOf } from '#csv/bytes-of.js';
import { AppError } from '#contracts/errors.js';
import type { EntityDispute } from '#contracts/integrity/entity-dispute.js';
import type { ExportDefinition, ExportRequest, ExportSnapshot } from '#jobs/export-definition.js';
import { fileMetadata, type FileMetadata } from '#jobs/file-metadata.js';
import type { NetworkKnowledge } from '../networks/network-knowledge.js';
import { channelStandings } from './channel-standings.js';
import { entityDispute } from './entity-dispute.js';
import { entityEvidence } from './entity-evidence.js';
import { findEntity, readSessions, readVerdicts } from './entity-source.js';
import type { LedgerReader } from './ledger-reader.js';
import { disputeCsv, disputeJson, type DisputeFile } from './write-dispute.js';

export type Organisations = Pick<NetworkKnowledge, 'organisationOf'>;

/** What is known of one entity; an entity without sessions in the range is not found. */
export function integrityEntityExport(ledger: LedgerReader, networks: Organisations): ExportDefinition {
  return {
    file: 'integrity-entity',
    prepare: (request) => ledger.prepare(request),
    fileName: ({ parameters: { entityId = '', format } }) => `integrity-${entityId}.${format}`,

    async content(snapshot, request) {
      const metadata = metadataOf(request);
      const written = write(await readDispute(snapshot, request, ledger, networks), metadata, request);
      return {
        chunks: written.chunks,
        counts: () => written.counts(),
        limit: null,
        truncated: 0,
        columnsOmitted: [],
        holdsCost: false,
        generated: metadata.generated,
      };
    },

    async estimate(snapshot, request) {
      const written = write(await readDispute(snapshot, request, ledger, networks), metadataOf(request), request);
      const bytes = await bytesOf(written.chunks);
      const { rows } = written.counts();
      return { rows, bytesPerRow: bytes / rows, limit: null };
    },
  };
}

function metadataOf(request: ExportRequest): FileMetadata {
  return fileMetadata(request, 'entity dispute file');
}

function write(dispute: EntityDispute, metadata: FileMetadata, { parameters }: ExportRequest): DisputeFile {
  const { format, bom = true, escapeFormulas } = parameters;
  return format === 'csv' ? disputeCsv(dispute, metadata, { bom, escapeFormulas }) : disputeJson(dispute, metadata);
}

/** @throws AppError `not_found` */
async function readDispute(
  snapshot: ExportSnapshot,
  request: ExportRequest,
  ledger: LedgerReader,
  networks: Organisations,
): Promise<EntityDispute> {
  const { assetId, parameters } = request;
  const { entityId = '', asset } = parameters;
  const entity = await findEntity(snapshot, assetId, entityId, parameters);
  const sessions = entity && (await readSessions(snapshot, assetId, entity, parameters));
  if (entity === undefined || sessions === undefined)
    throw new AppError('not_found', 'There is no such entity in this range.');
  const view = await ledger.read(snapshot, request);
  const verdicts = await readVerdicts(snapshot, assetId, entity, parameters, view.size);
  return entityDispute({
    entity,
    sessions,
    verdicts,
    timezone: asset.timezone,
    standing: await channelStandings(snapshot, assetId),
    organisationOf: (asn) => networks.organisationOf(asn),
    evidence: entityEvidence(verdicts, view, request),
  });
}
