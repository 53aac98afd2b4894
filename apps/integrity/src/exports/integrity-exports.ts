import type { DefinitionsFactory } from '#jobs/export-providers.js';
import { NetworkKnowledge } from '../networks/network-knowledge.js';
import { blocklistExport } from './blocklist.export.js';
import { evidenceBundleExport } from './evidence-bundle.export.js';
import { googleIpExclusionsExport } from './google-ip-exclusions.export.js';
import { integrityEntityExport } from './integrity-entity.export.js';
import { LedgerReader } from './ledger-reader.js';
import { metaNetworkAdvisoryExport } from './meta-network-advisory.export.js';
import { refundClaimExport } from './refund-claim.export.js';

/** Every file of this service. The module provides LedgerReader and NetworkKnowledge. */
export const INTEGRITY_EXPORTS: DefinitionsFactory = {
  inject: [LedgerReader, NetworkKnowledge],
  make: (ledger: LedgerReader, networks: NetworkKnowledge) => [
    integrityEntityExport(ledger, networks),
    refundClaimExport(ledger),
    evidenceBundleExport(ledger),
    googleIpExclusionsExport,
    blocklistExport,
    metaNetworkAdvisoryExport,
  ],
};
