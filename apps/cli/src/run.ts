import { Command } from 'commander';
import { addAssetCommands } from './asset.js';
import { addDemoCommand } from './demo.js';
import { addDlqCommands } from './dlq.js';
import { addEventsCommands } from './events.js';
import { addIpCommand } from './ip.js';
import { addIntegrityCommands } from './integrity.js';
import { addMappingCommands } from './mapping.js';
import { addMemberCommands } from './member.js';
import { addMigrateCommand } from './migrate.js';
import { addFxCommands } from './modeling/fx.js';
import { addLiftCommands } from './modeling/lift.js';
import { addMmmCommands } from './modeling/mmm.js';
import { addRollupsCommands } from './rollups.js';
import { Session } from './session.js';
import { addTokenCommands } from './token.js';
import { addTopicsCommands } from './topics.js';
import { addVerifyCommand } from './verify.js';

export interface Outcome {
  /** 0: done, 1: could not be done, 2: wrong usage. */
  code: 0 | 1 | 2;
  stdout: string;
  /** Empty, or why `code` is not 0. */
  stderr: string;
}

/** Runs `tallyport` with the words behind its name. Never rejects and never ends the process. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  const session = new Session(env);
  let code: Outcome['code'];
  try {
    await program(session).parseAsync([...argv], { from: 'user' });
    code = session.code;
  } catch (error) {
    code = session.fail(error);
  }
  return { code, stdout: session.stdout, stderr: session.stderr };
}

function program(session: Session): Command {
  // Subcommands copy these settings when they are made: first the settings, then the commands.
  const tallyport = new Command('tallyport')
    .description('Sets up and looks after a Tallyport service.')
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: (text) => (session.stdout += text),
      writeErr: (text) => (session.stderr += text),
    })
    .addHelpText(
      'after',
      '\nReads DATABASE_URL, else database_url of credentials.json in TALLYPORT_HOME (default .tallyport).' +
        '\nExit codes: 0 done, 1 could not be done, 2 wrong usage.',
    );
  addMigrateCommand(tallyport, session);
  addTopicsCommands(tallyport, session);
  addAssetCommands(tallyport, session);
  addMemberCommands(tallyport, session);
  addTokenCommands(tallyport, session);
  addMappingCommands(tallyport, session);
  addEventsCommands(tallyport, session);
  addDemoCommand(tallyport, session);
  addRollupsCommands(tallyport, session);
  addDlqCommands(tallyport, session);
  addIntegrityCommands(tallyport, session);
  addMmmCommands(tallyport, session);
  addLiftCommands(tallyport, session);
  addFxCommands(tallyport, session);
  addVerifyCommand(tallyport, session);
  addIpCommand(tallyport, session);
  return tallyport;
}
