import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { BlockFile } from './block-file.js';
import { BLOCK_BYTES } from './memory-blocks.js';

const directory = mkdtempSync(join(tmpdir(), 'block-file-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

let files = 0;
const newPath = (): string => join(directory, String(files++));

describe('a file written in blocks', () => {
  it.each([
    ['nothing', []],
    ['less than a block', [1, 999]],
    ['exactly a block', [BLOCK_BYTES]],
    ['blocks and a rest', [17, 3 * BLOCK_BYTES, 0, BLOCK_BYTES - 1, 5]],
    ['more than may wait', Array.from({ length: 40 }, () => BLOCK_BYTES - 13)],
  ])('holds what it was given: %s', async (_, sizes) => {
    const path = newPath();
    let readable = 0;
    const file = await BlockFile.create(path, (bytes) => {
      readable += bytes;
      expect(statSync(path).size).toBeGreaterThanOrEqual(readable);
    });
    const chunks = sizes.map((size) => randomBytes(size));
    for (const chunk of chunks) {
      await file.add(chunk);
      // It is the giver's again.
      const copy = Buffer.from(chunk);
      chunk.fill(0);
      chunks[chunks.indexOf(chunk)] = copy;
    }
    await file.finish();
    expect(readFileSync(path).equals(Buffer.concat(chunks))).toBe(true);
    expect(readable).toBe(Buffer.concat(chunks).length);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is never one that exists', async () => {
    const path = newPath();
    writeFileSync(path, 'mine');
    await expect(BlockFile.create(path, () => undefined)).rejects.toThrow('EEXIST');
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  it('can be abandoned with writes on their way', async () => {
    const path = newPath();
    const file = await BlockFile.create(path, () => undefined);
    await file.add(randomBytes(7 * BLOCK_BYTES));
    await file.abandon();
    await file.abandon();
    rmSync(path);
  });

  it('fails when a write fails: at the next bytes, or at its end', async () => {
    if (process.platform !== 'linux') {
      process.stdout.write('skipped: only Linux tells the descriptor of a file that shall break\n');
      return;
    }
    const path = newPath();
    let readable = 0;
    const file = await BlockFile.create(path, (bytes) => (readable += bytes));
    await file.add(randomBytes(BLOCK_BYTES));
    while (readable === 0) await delay(1);
    makeReadOnly(path);
    await expect(
      (async () => {
        for (let count = 0; count < 40; count++) await file.add(randomBytes(BLOCK_BYTES));
      })(),
    ).rejects.toThrow('EBADF');
    await expect(file.finish()).rejects.toThrow('EBADF');
    await file.abandon();
    expect(readable).toBe(BLOCK_BYTES);

    const small = newPath();
    const last = await BlockFile.create(small, () => undefined);
    await last.add(randomBytes(17));
    makeReadOnly(small);
    await expect(last.finish()).rejects.toThrow('EBADF');
  });
});

/** The descriptor under which this process writes the file becomes one that can't be written. */
function makeReadOnly(path: string): void {
  const folder = '/proc/self/fd';
  const isIt = (name: string): boolean => existsSync(join(folder, name)) && readlinkSync(join(folder, name)) === path;
  const descriptor = Number(readdirSync(folder).find(isIt));
  closeSync(descriptor);
  const others: number[] = [];
  // The lowest number that is free is given out: nearly always this one.
  while (others.at(-1) !== descriptor) {
    if (others.push(openSync('/dev/null', 'r')) > 100) throw new Error('The descriptor was taken by another.');
  }
  for (const other of others.slice(0, -1)) closeSync(other);
}
