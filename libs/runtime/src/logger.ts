import type { LoggerService } from '@nestjs/common';
import { IsIn } from 'class-validator';
import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';
import { ConfigError, loadConfig, Setting } from './config.js';
import { currentContext } from './work-context.js';

export class LogConfig {
  @Setting('Least severe level that is logged')
  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  LOG_LEVEL = 'info';

  @Setting('`json` for machines, `text` for people')
  @IsIn(['json', 'text'])
  LOG_FORMAT = 'json';
}

let root: Logger | undefined;

function rootLogger(): Logger {
  if (root === undefined) {
    const { LOG_LEVEL, LOG_FORMAT } = loadConfig(LogConfig);
    const options = { level: LOG_LEVEL, mixin: currentContext };
    root =
      LOG_FORMAT === 'text'
        ? pino(options, pretty({ ignore: 'pid,hostname', sync: true, colorize: process.stdout.isTTY }))
        : pino(options);
  }
  return root;
}

/** The logger of one part of the service; lines carry its name and the context of the work at hand. */
export function loggerFor(name: string): Logger {
  return rootLogger().child({ name });
}

/** Nest's own lines through the same logger. Its start-up chatter is debug. */
export class NestLogger implements LoggerService {
  log(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    if (message instanceof ConfigError) return; // told in one sentence by the process itself
    this.write('error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  private write(level: 'fatal' | 'error' | 'warn' | 'debug', message: unknown, rest: unknown[]): void {
    const name = typeof rest.at(-1) === 'string' ? (rest.at(-1) as string) : 'Nest';
    const stack = rest.length > 1 && typeof rest[0] === 'string' ? rest[0] : undefined;
    if (message instanceof Error) rootLogger()[level]({ name, err: message }, message.message);
    else rootLogger()[level]({ name, stack }, typeof message === 'string' ? message : JSON.stringify(message));
  }
}
