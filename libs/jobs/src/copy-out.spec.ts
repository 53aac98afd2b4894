import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'pg';
import { describe, expect, it } from '@jest/globals';
import { CopyOut } from './copy-out.js';

function message(code: string, body: Buffer | string): Buffer {
  const bytes = Buffer.from(body);
  const header = Buffer.alloc(5);
  header.write(code);
  header.writeUInt32BE(bytes.length + 4, 1);
  return Buffer.concat([header, bytes]);
}

/** A connection of `pg` as far as it matters here: a socket, its listener, and a place for what is sent. */
function connection() {
  const stream = new PassThrough();
  const seen = { given: Buffer.alloc(0), sent: '', copy: undefined as CopyOut | undefined };
  stream.on('data', (chunk: Buffer) => {
    seen.given = Buffer.concat([seen.given, chunk]);
    if (seen.given.length === REST.length) seen.copy?.handleCommandComplete({ text: 'COPY 5' });
  });
  const query = (sql: string): void => {
    seen.sent = sql;
  };
  return { stream, seen, as: { stream, query } as unknown as Connection };
}

async function textOf(readable: Readable): Promise<string> {
  let text = '';
  for await (const chunk of readable) text += (chunk as Buffer).toString('latin1');
  return text;
}

const ROWS = ['a,1\n', '', 'b,22\n', 'long '.repeat(60) + '\n', 'é\n'].map((row) => Buffer.from(row));
const BETWEEN = [message('H', '\0\0\0'), message('N', 'SNOTICE\0'), message('S', 'x\0y\0'), message('A', 'channel')];
const [started, notice, setting, told] = BETWEEN as [Buffer, Buffer, Buffer, Buffer];
const REST = Buffer.concat([message('c', ''), message('C', 'COPY 5\0'), message('Z', 'T')]);
const WHOLE = Buffer.concat([
  started,
  ...ROWS.flatMap((row, index) => [message('d', row), [notice, setting, told][index] ?? Buffer.alloc(0)]),
  REST,
]);

describe('CopyOut', () => {
  it('gives the rows as they are and hands the rest back, wherever the pieces end', async () => {
    for (let first = 1; first < WHOLE.length; first += 1) {
      const { stream, seen, as } = connection();
      const copy = new CopyOut('COPY x TO STDOUT');
      seen.copy = copy;
      copy.submit(as);
      const text = textOf(copy);
      for (const piece of [WHOLE.subarray(0, first), WHOLE.subarray(first, first + 3), WHOLE.subarray(first + 3)])
        stream.write(Buffer.from(piece));
      expect(await text).toBe(Buffer.concat(ROWS).toString('latin1'));
      expect([seen.sent, seen.given.equals(REST)]).toEqual(['COPY x TO STDOUT', true]);
      expect(copy.rowCount).toBe(5);
    }
  });

  it('takes single bytes too', async () => {
    const { stream, seen, as } = connection();
    const copy = new CopyOut('COPY x TO STDOUT');
    seen.copy = copy;
    copy.submit(as);
    const text = textOf(copy);
    for (const byte of WHOLE) stream.write(Buffer.from([byte]));
    expect(await text).toBe(Buffer.concat(ROWS).toString('latin1'));
    expect(seen.given.equals(REST)).toBe(true);
  });

  it('hands an error back and fails with what becomes of it', async () => {
    const { stream, seen, as } = connection();
    const copy = new CopyOut('COPY x TO STDOUT');
    copy.submit(as);
    const text = textOf(copy);
    const error = message('E', 'SERROR\0');
    stream.write(Buffer.concat([started, message('d', 'a\n'), error]));
    await sleep(0);
    expect(seen.given.equals(error)).toBe(true);
    expect([copy.isOver, copy.readableEnded]).toEqual([true, false]);
    copy.handleError(new Error('division by zero'));
    await expect(text).rejects.toThrow('division by zero');
  });

  it('lets the socket wait for its reader', async () => {
    const { stream, seen, as } = connection();
    const copy = new CopyOut('COPY x TO STDOUT');
    seen.copy = copy;
    copy.submit(as);
    copy.read(0);
    for (let count = 0; count < 20 && !stream.isPaused(); count++) {
      stream.write(message('d', Buffer.alloc(65_531, 'x')));
      await sleep(0);
    }
    expect(stream.isPaused()).toBe(true);
    expect(copy.readableLength).toBeLessThan(700_000);
    const text = textOf(copy);
    stream.write(REST);
    expect((await text).length % 65_531).toBe(0);
  });

  it('refuses a connection that somebody else reads', () => {
    const { stream, as } = connection();
    stream.on('data', () => undefined);
    expect(() => {
      new CopyOut('COPY x TO STDOUT').submit(as);
    }).toThrow('read by pg alone');
  });
});
