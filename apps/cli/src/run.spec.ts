import { describe, expect, it } from '@jest/globals';
import { run } from './run.js';

const NO_ASSET = '00000000-0000-7000-8000-000000000000';

describe('usage', () => {
  /** Every command by its words, found in the help itself. */
  async function commands(words: string[] = []): Promise<string[][]> {
    const { stdout } = await run([...words, '--help'], {});
    const listed = /\nCommands:\n([\s\S]*?)(\n\n|$)/.exec(stdout)?.[1];
    if (listed === undefined) return [words];
    const names = [...listed.matchAll(/^ {2}(\S+)/gm)]
      .map(([, name]) => name as string)
      .filter((name) => name !== 'help');
    return (await Promise.all(names.map((name) => commands([...words, name])))).flat();
  }

  it('offers --help and --json with every command', async () => {
    const all = await commands();
    expect(all.map((words) => words.join(' '))).toEqual([
      'migrate',
      'topics ensure',
      'asset create',
      'asset list',
      'member add',
      'member restrict',
      'member remove',
      'token create',
      'token revoke',
      'token list',
      'mapping set',
      'mapping remove',
      'mapping list',
      'events load',
      'demo',
      'rollups rebuild',
      'dlq list',
      'dlq replay',
      'integrity verify-ledger',
      'integrity keys',
      'integrity create-key',
      'mmm fit',
      'mmm controls load',
      'lift fit',
      'fx load',
      'verify',
      'ip',
    ]);
    for (const words of all) {
      const { code, stdout, stderr } = await run([...words, '--help'], {});
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('--json');
    }
  });

  it.each([
    ['an unknown command', ['frobnicate']],
    ['an unknown command of a group', ['asset', 'frobnicate']],
    ['an unknown option', ['asset', 'list', '--frobnicate']],
    ['a missing option', ['asset', 'create', '--name', 'x', '--timezone', 'UTC']],
    ['an option without its value', ['token', 'create', '--principal']],
    ['a missing argument', ['token', 'revoke']],
    ['an argument too many', ['asset', 'list', 'all']],
    ['a number that is none', ['token', 'create', '--principal', 'anna', '--expires', 'soon']],
    ['a negative number', ['token', 'create', '--principal', 'anna', '--expires', '-1']],
    ['no days at all', ['token', 'create', '--principal', 'anna', '--expires', '0']],
    ['records of no kind', ['events', 'load', 'x.csv', '--kind', 'cats']],
    ['a seed of zero', ['demo', '--seed', '0']],
    ['more weeks than there are', ['demo', '--weeks', '261']],
    ['a limit of none', ['dlq', 'list', '--limit', '0']],
    ['a model without channels', ['mmm', 'fit', 'x.csv', '--date', 'd', '--target', 'y']],
    ['a model of no channels', ['mmm', 'fit', 'x.csv', '--date', 'd', '--target', 'y', '--channels', ',']],
    [
      'a model with a seed of 0',
      ['mmm', 'fit', 'x.csv', '--date', 'd', '--target', 'y', '--channels', 'a', '--seed', '0'],
    ],
    ['a test without its end', ['lift', 'fit', 'x.csv', '--target', 'y', '--control-columns', 'x', '--test-from', '5']],
    ['a test of neither form', ['lift', 'fit', 'x.csv', '--target', 'y', '--test-from', '5', '--test-to', '9']],
    [
      'a test of both forms',
      'lift fit x.csv --date d --target y --place p --treated a --control-columns x --test-from 5 --test-to 9'.split(
        ' ',
      ),
    ],
    ['places without a column', 'lift fit x.csv --target y --treated a --test-from 5 --test-to 9'.split(' ')],
    ['places without dates', 'lift fit x.csv --target y --place p --treated a --test-from 5 --test-to 9'.split(' ')],
    ['treated places that are none', 'lift fit x.csv --target y --place p --test-from 5 --test-to 9'.split(' ')],
    [
      'a period of a month',
      'lift fit x.csv --target y --control-columns x --test-from 5 --test-to 9 --period 30'.split(' '),
    ],
    ['controls of no asset', ['mmm', 'controls', 'load', 'x.csv']],
    ['no address', ['ip']],
    ['a broken limit', ['dlq', 'list', '--limit', '1.5']],
    ['no permission', ['member', 'add', '--asset', NO_ASSET, '--principal', 'anna', '--permissions', ',']],
  ])('exits with 2 for %s', async (_, args) => {
    const { code, stdout, stderr } = await run(args, {});
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
  });

  it('exits with 2 and shows the help on stderr when no command is given', async () => {
    for (const args of [[], ['asset']]) {
      const { code, stdout, stderr } = await run(args, {});
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('Usage: tallyport');
    }
  });
});
