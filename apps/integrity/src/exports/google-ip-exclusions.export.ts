import {
  GOOGLE_IP_EXCLUSIONS_LAYOUT,
  GOOGLE_IP_EXCLUSIONS_LIMIT,
  type GoogleExclusionRow,
} from '#contracts/layouts/google-ip-exclusions.layout.js';
import { readBlocked } from './read-blocked.js';
import { capped, rowsExport } from './rows-export.js';
import { wildcardOf } from './wildcard.js';

/** IPv6 does not fit the form of its rows, nor does a host that stands alone. */
export const googleIpExclusionsExport = rowsExport<GoogleExclusionRow>({
  file: 'google-ip-exclusions',
  layout: GOOGLE_IP_EXCLUSIONS_LAYOUT,
  name: 'google-ads-ip-exclusions',
  async rows(snapshot, request) {
    const networks = (await readBlocked(snapshot, request))
      .filter(({ isHost }) => !isHost)
      .flatMap(({ cidr }) => wildcardOf(cidr) ?? []);
    return capped(
      networks.map((address) => ({ address })),
      GOOGLE_IP_EXCLUSIONS_LIMIT,
    );
  },
});
