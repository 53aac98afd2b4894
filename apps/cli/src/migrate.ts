import type { Command } from 'commander';
import { migrate } from '#database/migrate.js';
import type { Session } from './session.js';
import { withDatabase } from './with-database.js';

export function addMigrateCommand(tallyport: Command, session: Session): void {
  session.command(tallyport, 'migrate', 'bring the tables of the database up to date').action(
    session.answer(async () => {
      const applied = await withDatabase(session.env, migrate);
      const text =
        applied.length === 0 ? 'The database is up to date.' : `The database is migrated: ${applied.join(', ')}.`;
      return { json: { applied }, text };
    }),
  );
}
