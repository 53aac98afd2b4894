import type { AllowlistRule, NewAllowlistRule } from '#contracts/integrity/allowlist.js';
import type { DisputeSummary, EntityDispute } from '#contracts/integrity/entity-dispute.js';
import type { EntityItem, IntegrityStatus } from '#contracts/integrity/entity-list.js';
import { ENTITY_TYPES, SEVERITIES } from '#contracts/integrity/severity.js';
import { METADATA, METADATA_EXAMPLE, type Metadata } from './exports.schemas.js';
import { COUNT, objectOf, pageSchema, TIMESTAMP, UUID, type Schema } from './object-schema.js';

const TEXT: Schema = { type: 'string' };
const UNKNOWN_TEXT: Schema = { type: ['string', 'null'], description: 'Null: unknown.' };
const ASN: Schema = { type: ['integer', 'null'], minimum: 0, maximum: 4_294_967_295, description: 'Null: unknown.' };
const SCORE: Schema = { type: 'number', minimum: 0, maximum: 1 };
const SEVERITY: Schema = {
  type: 'string',
  enum: [...SEVERITIES],
  description: 'The highest of its days in the range.',
};
const ENTITY_TYPE: Schema = { type: 'string', enum: [...ENTITY_TYPES] };
const UNTIL: Schema = {
  type: ['string', 'null'],
  format: 'date',
  description: 'The last day on which it holds, in the time zone of the asset; null: no end.',
};

const SEQ: Schema = { type: 'integer', minimum: 1 };
const HASH: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const strict = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
});

const SUMMARY = objectOf<DisputeSummary>({
  entity_id: TEXT,
  entity_type: ENTITY_TYPE,
  network: { ...UNKNOWN_TEXT, description: 'The /24 or /48, of a host the one around it; null for other types.' },
  asn: ASN,
  asn_org: UNKNOWN_TEXT,
  network_type: TEXT,
  severity: SEVERITY,
  ivt_class: {
    type: ['string', 'null'],
    enum: ['GIVT', 'SIVT', null],
    description: 'Found by lists and routine checks, or by corroboration; null while nothing is suspected.',
  },
  score: { ...SCORE, description: 'Of the strongest window of the range.' },
  window_from: { ...TIMESTAMP, description: 'First second of the days with evidence.' },
  window_to: { ...TIMESTAMP, description: 'Last second of them.' },
  sessions: COUNT,
  paid_sessions: COUNT,
  flagged_sessions: COUNT,
  distinct_visitors: COUNT,
  distinct_ips: COUNT,
  conversions: COUNT,
  channels: {
    type: 'array',
    description: 'With flagged sessions, most first.',
    items: objectOf<DisputeSummary['channels'][number]>({ channel: TEXT, flagged_sessions: COUNT }),
  },
  estimated_wasted: {
    type: 'array',
    description: 'One amount a currency.',
    items: objectOf<DisputeSummary['estimated_wasted'][number]>({
      amount: { type: 'string', pattern: '^\\d+\\.\\d{2}$' },
      currency: TEXT,
    }),
  },
  sample_ips: { type: 'array', items: TEXT, description: 'At most ten; empty once they were erased.' },
  detector_version: UNKNOWN_TEXT,
  evidence_hash: { ...UNKNOWN_TEXT, description: 'Merkle root over its entries in the ledger; null without one.' },
  chain_verified: { type: 'boolean', description: 'Verified anew at each request.' },
});

export const INTEGRITY_SCHEMAS: Record<string, Schema> = {
  IntegrityStatus: objectOf<IntegrityStatus>({
    pending_events: { ...COUNT, description: 'Taken by this API and not yet read.' },
    dirty_networks: { ...COUNT, description: 'With sessions that are to be scored.' },
    ledger_size: { ...COUNT, description: 'Entries.' },
    checkpoint_size: { ...COUNT, description: 'Entries under the newest signed checkpoint; 0 without one.' },
    scored_through: {
      type: ['string', 'null'],
      format: 'date',
      description: 'The newest day that was scored; null before the first.',
    },
  }),
  Entity: objectOf<EntityItem>({
    entity_id: TEXT,
    entity_type: ENTITY_TYPE,
    severity: SEVERITY,
    asn: ASN,
    asn_org: UNKNOWN_TEXT,
    network_type: TEXT,
    sessions: COUNT,
    flagged_sessions: COUNT,
    score: { ...SCORE, description: 'Of the strongest window of the range.' },
  }),
  EntityPage: pageSchema('Entity'),
  EntityDispute: objectOf<EntityDispute & { metadata: Metadata }>({
    metadata: METADATA,
    summary: SUMMARY,
    reasons: {
      type: 'array',
      description: 'Strongest first.',
      items: objectOf<EntityDispute['reasons'][number]>({ code: TEXT, sentence: TEXT }),
    },
    detectors: {
      type: 'array',
      description: 'All of them, in their order.',
      items: objectOf<EntityDispute['detectors'][number]>({ detector: TEXT, score: SCORE }),
    },
  }),
  EvidenceBundle: {
    type: 'object',
    description:
      'The evidence behind a refund claim (`evidence-bundle/1`); VERIFY.md beside the verifier says what is in it.',
    required: [
      'format',
      'asset',
      'range',
      'generated',
      'rows',
      'entries',
      'proofs',
      'checkpoint',
      'consistency',
      'keys',
      'samples',
      'detector_config',
      'timezone',
      'currency',
    ],
    additionalProperties: false,
    properties: {
      format: { type: 'string', enum: ['evidence-bundle/1'] },
      asset: UUID,
      range: objectOf<Metadata['date_range']>({
        from: { type: 'string', format: 'date' },
        to: { type: 'string', format: 'date' },
      }),
      generated: TIMESTAMP,
      rows: {
        type: 'array',
        description: 'A row of the claim, by its `evidence_hash`, and the entries behind it.',
        items: strict({ evidence_hash: HASH, entries: { type: 'array', items: SEQ } }),
      },
      entries: {
        type: 'array',
        description: 'As they stand in the ledger: canonical JSON (RFC 8785).',
        items: strict({ seq: SEQ, body: TEXT }),
      },
      proofs: {
        type: 'object',
        description: 'RFC 6962 inclusion proofs by seq.',
        additionalProperties: { type: 'array', items: HASH },
      },
      checkpoint: { type: 'string', description: 'A signed note (C2SP); empty when nothing could be signed.' },
      consistency: {
        type: 'array',
        description: 'That the checkpoint follows from an earlier one.',
        items: strict({ from_note: TEXT, proof: { type: 'array', items: HASH } }),
      },
      keys: { type: 'array', items: TEXT, description: 'Verifier keys, newest last.' },
      samples: {
        type: 'array',
        description: 'What opens the commitments to sample addresses; fewer once they were erased.',
        items: strict({ seq: SEQ, salt: { type: 'string', pattern: '^[0-9a-f]{32}$' }, ip: TEXT }),
      },
      detector_config: {
        type: ['object', 'null'],
        additionalProperties: true,
        description: 'Limits and weights; null before anything was scored.',
      },
      timezone: TEXT,
      currency: { ...TEXT, description: 'Of rows without cost.' },
    },
  },
  AllowlistRule: objectOf<AllowlistRule>({
    rule_id: UUID,
    cidr: { type: ['string', 'null'], description: 'In canonical form; null for a rule about an AS number.' },
    asn: { ...ASN, description: 'Null for a rule about addresses.' },
    reason: TEXT,
    by: { ...TEXT, description: 'Name of the principal who added it.' },
    until: UNTIL,
    created_at: TIMESTAMP,
  }),
  AllowlistPage: pageSchema('AllowlistRule'),
  NewAllowlistRule: objectOf<NewAllowlistRule>(
    {
      cidr: {
        type: ['string', 'null'],
        description: 'IPv4 /8 to /32 or IPv6 /16 to /128, no bit set behind the prefix.',
      },
      asn: { type: ['integer', 'null'], minimum: 1, maximum: 4_294_967_295 },
      reason: { type: 'string', minLength: 1, maxLength: 256 },
      until: UNTIL,
    },
    {
      optional: ['cidr', 'asn', 'until'],
      description: 'One of `cidr` and `asn`, and not both. Any other member is refused.',
    },
  ),
};

export const ALLOWLIST_RULE: AllowlistRule = {
  rule_id: '019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10',
  cidr: '198.51.100.0/24',
  asn: null,
  reason: 'Head office',
  by: 'Operations',
  until: '2026-12-31',
  created_at: '2026-02-01T08:00:00.000Z',
};

export const ENTITY: EntityItem = {
  entity_id: 'net-203.0.113.0-24',
  entity_type: 'network',
  severity: 'confirmed',
  asn: 64_496,
  asn_org: 'Example Hosting GmbH',
  network_type: 'hosting',
  sessions: 412,
  flagged_sessions: 391,
  score: 0.9731,
};

export const DISPUTE: EntityDispute & { metadata: Metadata } = {
  metadata: { ...METADATA_EXAMPLE, title: 'Tallyport entity dispute file' },
  summary: {
    entity_id: ENTITY.entity_id,
    entity_type: 'network',
    network: '203.0.113.0/24',
    asn: ENTITY.asn,
    asn_org: ENTITY.asn_org,
    network_type: 'hosting',
    severity: 'confirmed',
    ivt_class: 'SIVT',
    score: 0.9731,
    window_from: '2026-01-02T23:00:00Z',
    window_to: '2026-01-28T22:59:59Z',
    sessions: 412,
    paid_sessions: 398,
    flagged_sessions: 391,
    distinct_visitors: 388,
    distinct_ips: 14,
    conversions: 0,
    channels: [
      { channel: 'google_ads', flagged_sessions: 312 },
      { channel: 'meta_ads', flagged_sessions: 79 },
    ],
    estimated_wasted: [{ amount: '418.22', currency: 'EUR' }],
    sample_ips: ['203.0.113.7', '203.0.113.19'],
    detector_version: '2026.11.1',
    evidence_hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    chain_verified: true,
  },
  reasons: [{ code: 'click_flood', sentence: '48 paid clicks from one address in one hour (limit 8)' }],
  detectors: [
    { detector: 'declared_bot', score: 0 },
    { detector: 'hosting_network', score: 1 },
  ],
};
