import { CommanderError, type Command } from 'commander';

/** A wish that can't be fulfilled; the message is one sentence for a person. */
export class CommandFailure extends Error {}

/** What a command has to say: to a program with `--json`, else to a person. */
export interface Answer {
  json: unknown;
  text: string;
}

/** One run of the command line: where commands read their settings, and what they said. */
export class Session {
  stdout = '';
  stderr = '';
  /** How a command ended that has said everything itself. */
  code: 0 | 1 | 2 = 0;

  constructor(readonly env: NodeJS.ProcessEnv) {}

  /** Adds a command to a group. Every command takes `--json`. */
  command(group: Command, usage: string, description: string): Command {
    return group.command(usage).description(description).option('--json', 'print one JSON value and nothing else');
  }

  /** Makes the action of a command from its work, which gets what commander gives: arguments, then options. */
  answer(work: (...parameters: never[]) => Promise<Answer>): (...parameters: unknown[]) => Promise<void> {
    return async (...parameters) => {
      const command = parameters.at(-1) as Command;
      const { json, text } = await work(...(parameters as never[]));
      this.stdout += `${command.opts<{ json?: boolean }>().json === true ? JSON.stringify(json) : text}\n`;
    };
  }

  /** Ends a run that failed. @returns the exit code: 2 for wrong usage, 0 when only the help was asked for, else 1 */
  fail(error: unknown): 0 | 1 | 2 {
    // Commander has written its message, or the help, itself.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    this.stderr += `${sentence(error)}\n`;
    return 1;
  }
}

function sentence(error: unknown): string {
  const text = (error instanceof Error ? error.message || error.name : String(error)).replace(/\s+/g, ' ').trim();
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
