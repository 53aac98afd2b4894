import { isUnpaidByWords } from '#contracts/channels/unpaid.js';
import type { LocalDays } from '#ingest/local-days.js';
import { trafficChannel } from '../detection/channel-standing.js';
import type { UaClass } from '../detection/traffic.js';
import { canonicalBrowser, canonicalSystem } from '../detection/user-agents/names.js';
import { uaClass } from '../detection/user-agents/ua-class.js';
import type { NetworkKnowledge } from '../networks/network-knowledge.js';
import type { CollectedEvent } from './collected-traffic.js';
import { remembered } from './remembered.js';
import type { SessionHead } from './traffic-sessions.js';

/** Channel name and type, browser and system are few; each is looked at once. */
const channelOf = remembered((name) => (name.trim() === '' ? '' : trafficChannel(name)));
const unpaidOf = remembered((pair) => isUnpaidByWords(...unpaired(pair)));
const agentOf = remembered((pair): { uaClass: UaClass; browser: string; os: string } => {
  const [browser, os] = unpaired(pair);
  return { uaClass: uaClass(browser, os), browser: canonicalBrowser(browser), os: canonicalSystem(os) };
});

/** What a session has from its first event. The mapping of an asset may change, so nothing here depends on it. */
export function sessionHead(
  { at, record, network }: CollectedEvent,
  days: LocalDays,
  networks: Pick<NetworkKnowledge, 'typeForSession'>,
): SessionHead {
  const { lt_channel, lt_channel_type, ft_channel, ua_browser, ua_os } = record;
  const agent = agentOf(paired(ua_browser, ua_os));
  const asn = network?.asn ?? null;
  return {
    day: days.at(at),
    host: network?.host ?? '',
    asn,
    networkType: networks.typeForSession(network?.type ?? 'unknown', asn, agent.browser, agent.os),
    channel: channelOf(lt_channel ?? ''),
    ftChannel: channelOf(ft_channel ?? ''),
    unpaid: unpaidOf(paired(lt_channel, lt_channel_type)),
    ...agent,
  };
}

/** No collected text holds NUL. */
function paired(one: string | null, other: string | null): string {
  return `${one ?? ''}\0${other ?? ''}`;
}

function unpaired(pair: string): [string, string] {
  const [one = '', other = ''] = pair.split('\0');
  return [one, other];
}
