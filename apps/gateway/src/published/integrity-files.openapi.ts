import { BLOCKLIST_LAYOUT, BLOCKLIST_MAX_CAP } from '#contracts/layouts/blocklist.layout.js';
import { GOOGLE_IP_EXCLUSIONS_LIMIT } from '#contracts/layouts/google-ip-exclusions.layout.js';
import { META_NETWORK_ADVISORY_LAYOUT, META_RECOMMENDATION } from '#contracts/layouts/meta-network-advisory.layout.js';
import { REFUND_CLAIM_LAYOUT } from '#contracts/layouts/refund-claim.layout.js';
import { IntegrityFilesController } from '../integrity/integrity-files.controller.js';
import { endpoint } from './endpoint.js';
import { METADATA_EXAMPLE } from './exports.schemas.js';
import { csv, file, json } from './file-endpoint.js';
import { DISPUTE, ENTITY } from './integrity.schemas.js';

const tag = 'Integrity';

const ENTITY_PARAMETER = {
  entity_id: {
    description: 'As the list of entities gives it.',
    schema: { type: 'string' as const },
    example: ENTITY.entity_id,
  },
};
const NO_ENTITY = { not_found: { detail: 'There is no such entity in this range.', sometimes: ['Location'] as const } };

const header = (layout: readonly { header: string }[]): string => layout.map((column) => column.header).join(',');

const DISPUTE_CSV = `# Tallyport entity dispute file
# Property: Demo shop
# Date range: 2026-01-01..2026-01-31
# Timezone: Europe/Berlin
# Generated: 2026-02-01T08:00:00Z
Field,Value
entity_id,net-203.0.113.0-24

Reasons
click_flood: 48 paid clicks from one address in one hour (limit 8)

Detector,Score
declared_bot,0.0000
`;

const BUNDLE = {
  format: 'evidence-bundle/1',
  asset: METADATA_EXAMPLE.property.id,
  range: METADATA_EXAMPLE.date_range,
  generated: METADATA_EXAMPLE.generated,
  rows: [],
  entries: [],
  proofs: {},
  checkpoint: 'tallyport/integrity/0b9d0c5e-3f52-4a57-9f0a-6c1f6a6f2f11\n4100\n…',
  consistency: [],
  keys: [],
  samples: [],
  detector_config: null,
  timezone: METADATA_EXAMPLE.timezone,
  currency: 'EUR',
};

/** The files of integrity. */
export const INTEGRITY_FILE_PATHS = [
  endpoint(
    IntegrityFilesController,
    'disputeFile',
    file(
      {
        tag,
        summary: 'Everything known of one entity, to dispute its clicks with',
        description:
          '`integrity-<entity>.csv`: lines of metadata, then three blocks with an empty line between: fields, reasons, scores of all detectors; with a byte-order mark. An entity without sessions in the range is 404.',
        pathParameters: ENTITY_PARAMETER,
        problemTexts: NO_ENTITY,
      },
      csv(DISPUTE_CSV),
    ),
  ),
  endpoint(
    IntegrityFilesController,
    'entity',
    file(
      {
        tag,
        summary: 'The same as JSON',
        pathParameters: ENTITY_PARAMETER,
        problemTexts: NO_ENTITY,
      },
      json('EntityDispute', DISPUTE),
    ),
  ),
  endpoint(
    IntegrityFilesController,
    'refundClaim',
    file(
      {
        tag,
        summary: 'Refund claim for invalid clicks',
        description: `\`<service>-fraud-refund-claim.csv\`: ${header(REFUND_CLAIM_LAYOUT)}. A row per asn, network type, channel, severity and currency, confirmed first. Each row's \`evidence_hash\` can be verified with the evidence bundle of the same range. Amounts are estimates.`,
      },
      csv(
        `${header(REFUND_CLAIM_LAYOUT)}\n64496,Example Hosting GmbH,hosting,google_ads,confirmed,391,2026-01-02T23:00:00Z,2026-01-28T22:59:59Z,418.22,EUR,click_flood=48>8,203.0.113.7,9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08,true\n`,
      ),
    ),
  ),
  endpoint(
    IntegrityFilesController,
    'evidenceBundle',
    file(
      {
        tag,
        summary: 'The evidence behind the refund claim of the same range',
        description:
          '`<service>-evidence-bundle.json`: ledger entries, their inclusion proofs and a signed checkpoint, for the stand-alone verifier.',
      },
      json('EvidenceBundle', BUNDLE),
    ),
  ),
  endpoint(
    IntegrityFilesController,
    'googleExclusions',
    file(
      {
        tag,
        summary: 'IP exclusion list for search ads',
        description: `\`<service>-google-ads-ip-exclusions.csv\`: one column, \`IP address\`, rows \`a.b.c.*\`, most flagged events first, at most ${GOOGLE_IP_EXCLUSIONS_LIMIT}. \`X-Service-Blocklist-Truncated\` says how many networks were left out.`,
      },
      csv('IP address\n203.0.113.*\n'),
      ['X-Service-Blocklist-Truncated'],
    ),
  ),
  endpoint(
    IntegrityFilesController,
    'blocklist',
    file(
      {
        tag,
        summary: 'Block list of networks and hosts',
        description: `\`<service>-blocklist.csv\`: ${header(BLOCKLIST_LAYOUT)}. IPv4 and IPv6, most flagged events first, at most \`cap\` rows (${BLOCKLIST_MAX_CAP.toLocaleString('en-US')}). A host is listed where its network is not.`,
      },
      csv(
        `${header(BLOCKLIST_LAYOUT)}\n203.0.113.0/24,203.0.113.*,64496,Example Hosting GmbH,hosting,1204\n2001:db8:1::/48,,64496,Example Hosting GmbH,hosting,310\n`,
      ),
    ),
  ),
  endpoint(
    IntegrityFilesController,
    'metaAdvisory',
    file(
      {
        tag,
        summary: 'Network advisory for social ads',
        description: `\`<service>-meta-network-advisory.csv\`: ${header(META_NETWORK_ADVISORY_LAYOUT)}. A row per asn, network type, channel and severity; not a list of addresses, because that platform excludes none.`,
      },
      csv(
        `${header(META_NETWORK_ADVISORY_LAYOUT)}\n64496,Example Hosting GmbH,hosting,meta_ads,confirmed,79,"${META_RECOMMENDATION}"\n`,
      ),
    ),
  ),
];
