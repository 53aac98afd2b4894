import type { Command } from 'commander';
import { AccessAdmin, type MemberRecord } from '#apps/gateway/src/access/access-admin.js';
import { PERMISSIONS, RESTRICTIONS } from '#contracts/permissions.js';
import type { Answer, Session } from './session.js';
import { filledList, list } from './values.js';
import { withDatabase } from './with-database.js';

interface Member {
  asset: string;
  principal: string;
}

export function addMemberCommands(tallyport: Command, session: Session): void {
  const group = tallyport.command('member').description('who may do what in an asset');
  const admin = <T>(work: (admin: AccessAdmin) => Promise<T>): Promise<T> =>
    withDatabase(session.env, (dataSource) => work(new AccessAdmin(dataSource)));
  const command = (name: string, description: string): Command =>
    session
      .command(group, name, description)
      .requiredOption('--asset <id>', 'id of the asset')
      .requiredOption('--principal <name>', 'a person or a program');

  command('add', 'let a principal into an asset, or replace its permissions')
    .requiredOption('--permissions <list>', `separated by commas, of ${PERMISSIONS.join(', ')}`, filledList)
    .action(
      session.answer(async ({ asset, principal, permissions }: Member & { permissions: string[] }) =>
        described(await admin((access) => access.addMember(asset, principal, permissions))),
      ),
    );

  command('restrict', 'replace what is withheld from a member')
    .requiredOption('--restrictions <list>', `separated by commas, of ${RESTRICTIONS.join(', ')}; "" lifts all`, list)
    .action(
      session.answer(async ({ asset, principal, restrictions }: Member & { restrictions: string[] }) =>
        described(await admin((access) => access.restrictMember(asset, principal, restrictions))),
      ),
    );

  command('remove', 'take a member out of an asset').action(
    session.answer(async ({ asset, principal }: Member) => {
      const member = await admin((access) => access.removeMember(asset, principal));
      return { json: member, text: `${member.principal} is no member of the asset ${member.asset_id} any more.` };
    }),
  );
}

function described(member: MemberRecord): Answer {
  const { principal, asset_id, permissions, restrictions } = member;
  const withheld = restrictions.length === 0 ? 'nothing' : restrictions.join(', ');
  return {
    json: member,
    text: `${principal} in the asset ${asset_id}: may ${permissions.join(', ')}; withheld: ${withheld}.`,
  };
}
