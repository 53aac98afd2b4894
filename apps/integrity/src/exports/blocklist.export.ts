import { BLOCKLIST_DEFAULT_CAP, BLOCKLIST_LAYOUT, type BlocklistRow } from '#contracts/layouts/blocklist.layout.js';
import { readBlocked } from './read-blocked.js';
import { capped, rowsExport } from './rows-export.js';
import { wildcardOf } from './wildcard.js';

export const blocklistExport = rowsExport<BlocklistRow>({
  file: 'blocklist',
  layout: BLOCKLIST_LAYOUT,
  name: 'blocklist',
  async rows(snapshot, request) {
    const blocked = await readBlocked(snapshot, request);
    const { rows, ...cap } = capped(blocked, request.parameters.cap ?? BLOCKLIST_DEFAULT_CAP);
    return {
      ...cap,
      rows: rows.map(({ cidr, asn, asnOrg, networkType, hits }) => ({
        cidr,
        wildcard: wildcardOf(cidr),
        asn,
        asn_org: asnOrg,
        network_type: networkType,
        hits,
      })),
    };
  },
});
