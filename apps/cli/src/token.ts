import type { Command } from 'commander';
import { AccessAdmin, type TokenRecord } from '#apps/gateway/src/access/access-admin.js';
import type { Session } from './session.js';
import { table } from './table.js';
import { days } from './values.js';
import { withDatabase } from './with-database.js';

export function addTokenCommands(tallyport: Command, session: Session): void {
  const group = tallyport.command('token').description('the API tokens of principals');
  const admin = <T>(work: (admin: AccessAdmin) => Promise<T>): Promise<T> =>
    withDatabase(session.env, (dataSource) => work(new AccessAdmin(dataSource)));

  session
    .command(group, 'create', 'make a token, which is shown only this once')
    .requiredOption('--principal <name>', 'who it speaks for; a member of an asset already')
    .option('--expires <days>', 'days from now; without it the token never expires', days)
    .action(
      session.answer(async ({ principal, expires }: { principal: string; expires?: number }) => {
        const created = await admin((access) => access.createToken(principal, expires));
        const { token_id, token, expires_at } = created;
        const text = [
          token,
          `Token ${token_id} of ${principal}, ${expires_at === null ? 'never expires' : `expires ${expires_at}`}.`,
          'It is shown only once: keep it now.',
        ];
        return { json: { ...created, principal }, text: text.join('\n') };
      }),
    );

  session.command(group, 'revoke <id>', 'make a token useless, at once and for ever').action(
    session.answer(async (id: string) => {
      const token = await admin((access) => access.revokeToken(id));
      return {
        json: token,
        text: `Token ${token.token_id} of ${token.principal} is revoked since ${String(token.revoked_at)}.`,
      };
    }),
  );

  session.command(group, 'list', 'show all tokens, oldest first, revoked ones too').action(
    session.answer(async () => {
      const tokens = await admin((access) => access.listTokens());
      const rows = tokens.map((token) => [token.token_id, token.principal, token.created_at, stateOf(token)]);
      const text = rows.length === 0 ? 'There are no tokens.' : table(['TOKEN', 'PRINCIPAL', 'CREATED', 'STATE'], rows);
      return { json: tokens, text };
    }),
  );
}

function stateOf({ expires_at, revoked_at }: TokenRecord): string {
  if (revoked_at !== null) return `revoked ${revoked_at}`;
  if (expires_at === null) return 'valid';
  return Date.parse(expires_at) > Date.now() ? `valid until ${expires_at}` : `expired ${expires_at}`;
}
