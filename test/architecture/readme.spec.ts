import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readmeTables } from '../support/readme-tables.js';

const readme = readFileSync('README.md', 'utf8');
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/** The first table behind a heading, with the padding of its cells taken out. */
function tableBehind(heading: string): string {
  const [, section = ''] = readme.split(new RegExp(`^#+ ${heading}$`, 'm'));
  const lines = section.split('\n');
  const first = lines.findIndex((line) => line.startsWith('|'));
  const last = lines.findIndex((line, index) => index > first && !line.startsWith('|'));
  return lines
    .slice(first, last)
    .map((line) => line.replace(/ +\|/g, ' |').replace(/\| +/g, '| ').replace(/-{3,}/g, '---'))
    .join('\n');
}

describe('the README', () => {
  it.each(Object.entries(readmeTables()))('has the table «%s» as the code has it', (heading, expected) => {
    expect(tableBehind(heading)).toBe(expected);
  });

  it('names only npm scripts that exist', () => {
    const named = [...readme.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? '');
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !(name in manifest.scripts))).toEqual([]);
  });

  it('links only to files that exist', () => {
    const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, path]) => path ?? '');
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((path) => !existsSync(path))).toEqual([]);
  });
});

describe('nest-cli.json', () => {
  interface Project {
    root: string;
    entryFile?: string;
    sourceRoot: string;
    compilerOptions: { tsConfigPath: string };
  }

  it('names only paths that exist, and every app and library', () => {
    const { projects } = JSON.parse(readFileSync('nest-cli.json', 'utf8')) as { projects: Record<string, Project> };
    const paths = Object.values(projects).flatMap(({ root, entryFile, sourceRoot, compilerOptions }) => [
      root,
      sourceRoot,
      compilerOptions.tsConfigPath,
      ...(entryFile === undefined ? [] : [`${sourceRoot}/${entryFile}.ts`]),
    ]);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
    const solution = JSON.parse(readFileSync('tsconfig.json', 'utf8')) as { references: { path: string }[] };
    const built = solution.references.map(({ path }) => path.slice(2)).filter((path) => /^(apps|libs)\//.test(path));
    expect(
      Object.values(projects)
        .map(({ root }) => root)
        .sort(),
    ).toEqual(built.sort());
  });
});
