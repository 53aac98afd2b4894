import type { Command } from 'commander';
import { hostEntityId, networkEntityId, asnEntityId } from '#apps/integrity/src/networks/network-key.js';
import { NetworkKnowledge, type NetworkOf } from '#apps/integrity/src/networks/network-knowledge.js';
import { NetworksConfig } from '#apps/integrity/src/networks/networks.config.js';
import { loadConfig } from '#runtime/config.js';
import { CommandFailure, type Session } from './session.js';
import { table } from './table.js';

export function addIpCommand(tallyport: Command, session: Session): void {
  session
    .command(tallyport, 'ip <addresses...>', 'show what is known about addresses: network, AS, type and entity ids')
    .action(
      session.answer((texts: string[]) => {
        const warnings: string[] = [];
        const config = loadConfig(NetworksConfig, session.env);
        const knowledge = NetworkKnowledge.load(config, (message) => warnings.push(message));
        const found = texts.map((text) => knownAddress(knowledge, text));
        session.stderr += warnings.map((warning) => `warning: ${warning}\n`).join('');
        return Promise.resolve({
          json: found.map((network) => ({ ...asJson(network), data_date: knowledge.dataDate })),
          text: `${found.map(asText).join('\n\n')}\n\nASN data of ${knowledge.dataDate}: RouteViews, DB-IP (https://db-ip.com) and NRO, CC BY 4.0`,
        });
      }),
    );
}

function knownAddress(knowledge: NetworkKnowledge, text: string): NetworkOf {
  const network = knowledge.lookup(text);
  if (network === undefined) throw new CommandFailure(`${JSON.stringify(text)} is no IP address`);
  return network;
}

function asJson({ address, net, host, asn, asnOrg, type }: NetworkOf): Record<string, string | number | null> {
  return {
    address,
    network: net,
    network_id: networkEntityId(net),
    host,
    host_id: hostEntityId(host),
    asn,
    asn_id: asn === null ? null : asnEntityId(asn),
    asn_org: asnOrg,
    network_type: type,
  };
}

/** Reserved addresses belong to no entity: nothing about them is scored or exported. */
function asText({ address, net, host, asn, asnOrg, type, reserved }: NetworkOf): string {
  const entity = (id: string): string => (reserved ? 'never scored' : id);
  return table(
    [address, type, ''],
    [
      ['network', net, entity(networkEntityId(net))],
      ['host', host, entity(hostEntityId(host))],
      ['AS', asn === null ? 'unknown' : `AS${asn} ${asnOrg ?? ''}`, asn === null ? '' : entity(asnEntityId(asn))],
    ],
  );
}
