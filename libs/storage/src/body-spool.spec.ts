import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { GrowingFile } from './growing-file.js';
import { BodyTooLargeError, cleanSpoolDirectory, spoolBody } from './body-spool.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const root = mkdtempSync(join(tmpdir(), 'spool-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

/** `sizes` bytes a chunk; tells how many were asked for and whether the source was closed. */
function sourceOf(sizes: number[], end: 'ends' | 'fails' | 'hangs' = 'ends') {
  const state = { asked: 0, closed: false, content: createHash('sha256') };
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      for (const size of sizes) {
        const chunk = Buffer.alloc(size, String(state.asked++ % 10));
        state.content.update(chunk);
        yield chunk;
      }
      if (end === 'fails') throw new Error('the client died');
      if (end === 'hangs') await new Promise(() => undefined);
    } finally {
      state.closed = true;
    }
  }
  return { state, chunks: chunks() };
}

const newDirectory = (): string => join(root, randomUUID());
const filesIn = (directory: string): string[] => {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
};

describe('spoolBody', () => {
  it.each([0, 1, 1000, MIB - 1, MIB])('keeps a body of %d bytes in memory', async (bytes) => {
    const directory = newDirectory();
    const { state, chunks } = sourceOf(pieces(bytes));
    const spooled = await spoolBody(chunks, { maxBytes: 8 * MIB, directory });
    expect(Buffer.isBuffer(spooled.body)).toBe(true);
    expect((spooled.body as Buffer).length).toBe(bytes);
    expect([spooled.bytes, spooled.sha256]).toEqual([bytes, state.content.digest('hex')]);
    expect(
      createHash('sha256')
        .update(spooled.body as Buffer)
        .digest('hex'),
    ).toBe(spooled.sha256);
    expect(filesIn(directory)).toEqual([]);
    await spooled.discard();
  });

  it.each([MIB + 1, 5 * MIB + 17])(
    'puts a body of %d bytes into a file of its own, until it is discarded',
    async (bytes) => {
      const directory = newDirectory();
      const { state, chunks } = sourceOf(pieces(bytes));
      const spooled = await spoolBody(chunks, { maxBytes: bytes, directory });
      const body = spooled.body as { path: string; bytes: number };
      expect([spooled.bytes, body.bytes, statSync(body.path).mode & 0o777]).toEqual([bytes, bytes, 0o600]);
      expect(createHash('sha256').update(readFileSync(body.path)).digest('hex')).toBe(spooled.sha256);
      expect(spooled.sha256).toBe(state.content.digest('hex'));
      await spooled.discard();
      await spooled.discard();
      expect(filesIn(directory)).toEqual([]);
    },
  );

  it('lets its file be read while it grows, and says when it breaks', async () => {
    for (const [sizes, end] of [
      [[MIB, MIB, 17], 'ends'],
      [[3 * MIB], 'fails'],
    ] as const) {
      let grown: GrowingFile | undefined;
      const onFile = (file: GrowingFile): void => void (grown = file);
      const spooling = spoolBody(sourceOf([...sizes], end).chunks, { directory: newDirectory(), onFile });
      const spooled = await spooling.catch(() => undefined);
      if (spooled === undefined) {
        await expect(grown?.reach(1)).rejects.toThrow('the client died');
        continue;
      }
      expect(spooled.body).toEqual({ path: grown?.path, bytes: 2 * MIB + 17 });
      expect(await grown?.reach(1)).toEqual({ bytes: 2 * MIB + 17, isWhole: true });
      await spooled.discard();
    }
  });

  it('says nothing of a file when there is none', async () => {
    const files: GrowingFile[] = [];
    await spoolBody(sourceOf([MIB]).chunks, { directory: newDirectory(), onFile: (file) => void files.push(file) });
    expect(files).toEqual([]);
  });

  it.each([100, 2 * MIB])('refuses the first byte over %d, without asking for more', async (maxBytes) => {
    const directory = newDirectory();
    const { state, chunks } = sourceOf([maxBytes, 1, 1, 1]);
    await expect(spoolBody(chunks, { maxBytes, directory })).rejects.toThrow(BodyTooLargeError);
    expect(state).toMatchObject({ asked: 2, closed: true });
    expect(filesIn(directory)).toEqual([]);
  });

  it('passes on the error of a dying source and removes its file', async () => {
    const directory = newDirectory();
    const { chunks } = sourceOf([2 * MIB], 'fails');
    await expect(spoolBody(chunks, { maxBytes: 8 * MIB, directory })).rejects.toThrow('the client died');
    expect(filesIn(directory)).toEqual([]);
  });

  it('ends with the reason of its signal, also while nothing arrives', async () => {
    const directory = newDirectory();
    const abort = new AbortController();
    const reason = new Error('the client hung up');
    const { chunks } = sourceOf([2 * MIB], 'hangs');
    const spooling = spoolBody(chunks, { maxBytes: 8 * MIB, directory, signal: abort.signal });
    setTimeout(() => {
      abort.abort(reason);
    }, 50);
    await expect(spooling).rejects.toBe(reason);
    expect(filesIn(directory)).toEqual([]);
    await expect(spoolBody(sourceOf([1]).chunks, { maxBytes: 1, directory, signal: abort.signal })).rejects.toBe(
      reason,
    );
  });

  it('leaves a stream open, so that a request can still be answered; its error is passed on', async () => {
    const request = new PassThrough();
    request.write('x'.repeat(11));
    await expect(spoolBody(request, { maxBytes: 10, directory: newDirectory() })).rejects.toThrow(BodyTooLargeError);
    expect(request.destroyed).toBe(false);
    const dying = new PassThrough();
    dying.destroy(new Error('cut off'));
    await expect(spoolBody(dying, { maxBytes: 10, directory: newDirectory() })).rejects.toThrow('cut off');
  });

  it('keeps no slice of a larger buffer alive', async () => {
    const large = Buffer.alloc(MIB, 'x');
    async function* slices(): AsyncGenerator<Buffer> {
      for (let index = 0; index < 10; index++) yield large.subarray(index, index + 1);
      await Promise.resolve();
    }
    const { body } = await spoolBody(slices(), { maxBytes: 100, directory: newDirectory() });
    expect((body as Buffer).buffer.byteLength).toBeLessThanOrEqual(4096);
  });

  it('fails when the directory is none, and takes up nothing more', async () => {
    const file = newDirectory();
    writeFileSync(file, '');
    const { state, chunks } = sourceOf([2 * MIB, 1]);
    await expect(spoolBody(chunks, { maxBytes: 8 * MIB, directory: file })).rejects.toThrow(/EEXIST|ENOTDIR/);
    expect(state.asked).toBe(1);
  });
});

describe('cleanSpoolDirectory', () => {
  it('removes the files of processes that are gone', async () => {
    const directory = newDirectory();
    expect(await cleanSpoolDirectory(directory)).toBe(0);
    const spooled = await spoolBody(sourceOf([2 * MIB]).chunks, { maxBytes: 8 * MIB, directory });
    writeFileSync(join(directory, `4194305-${randomUUID()}.tmp`), 'left over');
    expect(await cleanSpoolDirectory(directory)).toBe(1);
    expect(filesIn(directory)).toHaveLength(1);
    await spooled.discard();
  });
});

function pieces(bytes: number): number[] {
  const whole = Array.from({ length: Math.floor(bytes / (60 * KIB)) }, () => 60 * KIB);
  return [...whole, bytes % (60 * KIB)].filter((size) => size > 0);
}
