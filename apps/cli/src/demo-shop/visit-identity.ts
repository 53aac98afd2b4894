import type { ShopIdentity } from './records.js';
import type { Visit } from './visits.js';

/** What the shop's accounts tell when a device says for the first time whose it is. */
export function identityOf({ login, startMs, person, device, outcome }: Visit): ShopIdentity | undefined {
  if (login === undefined || login.atMs < startMs || outcome.kind === 'refund') return undefined;
  const { globalUserId, email, phone, crmClientId } = login.account;
  return {
    global_user_id: globalUserId,
    distinct_ids: [device.distinctId],
    ...(email === undefined ? {} : { email }),
    ...(phone === undefined ? {} : { phone }),
    ...(crmClientId === undefined ? {} : { crm_client_id: crmClientId }),
    first_seen_at: new Date(person.firstSeenMs).toISOString(),
    identified_at: new Date(login.identifiedMs).toISOString(),
  };
}
