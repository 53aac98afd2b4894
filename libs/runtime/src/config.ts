import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import type { FactoryProvider, Type } from '@nestjs/common';

const SETTINGS = Symbol('settings');

interface SettingOptions {
  /** No default outside the embedded mode, and never logged. */
  secret?: boolean;
}

export interface SettingDescription extends SettingOptions {
  name: string;
  meaning: string;
  /** Undefined: the variable must be set. */
  default: unknown;
}

/** Marks a property of a config class as an environment variable of the same name; `meaning` goes into the README's table. */
export function Setting(meaning: string, options: SettingOptions = {}): PropertyDecorator {
  return (target, name) => {
    const own = (Reflect.getOwnMetadata(SETTINGS, target) ?? []) as {
      name: string;
      meaning: string;
      secret?: boolean;
    }[];
    Reflect.defineMetadata(SETTINGS, [...own, { name: String(name), meaning, ...options }], target);
  };
}

/** The settings of a config class in the order of the source, with their defaults. */
export function settingsOf(config: Type<object>): SettingDescription[] {
  const defaults = new config() as Record<string, unknown>;
  const settings = (Reflect.getMetadata(SETTINGS, config.prototype as object) ?? []) as Omit<
    SettingDescription,
    'default'
  >[];
  return settings.map((setting) => ({ ...setting, default: defaults[setting.name] }));
}

/** A wrong or missing environment variable; the message names it and says what it must be. */
export class ConfigError extends Error {}

/**
 * Reads a config class from the environment, once per process. An empty variable counts as absent.
 *
 * @throws ConfigError naming each variable that is missing or wrong
 */
export function loadConfig<T extends object>(config: Type<T>, environment: NodeJS.ProcessEnv = process.env): T {
  const given: Record<string, unknown> = {};
  for (const { name, default: fallback } of settingsOf(config)) {
    const text = environment[name];
    if (text === undefined || text === '') continue;
    given[name] =
      typeof fallback === 'number'
        ? Number(text)
        : typeof fallback === 'boolean'
          ? text === 'true' || text === '1'
          : text;
  }
  const instance = plainToInstance(config, given, { exposeDefaultValues: true });
  const failures = validateSync(instance, { stopAtFirstError: true });
  if (failures.length > 0) {
    const reasons = failures.map(({ property, value, constraints }) => {
      const [rule = 'is not valid'] = Object.values(constraints ?? {});
      const told = rule.startsWith(property) ? rule : `${property} ${rule}`;
      if (Number.isNaN(value)) return `${property} must be a number`;
      return value === undefined ? `${property} is not set: ${told}` : told;
    });
    throw new ConfigError(`Wrong configuration: ${reasons.join('; ')}.`);
  }
  return instance;
}

/** Makes a config class injectable. */
export function configProvider<T extends object>(config: Type<T>): FactoryProvider<T> {
  return { provide: config, useFactory: () => loadConfig(config) };
}
