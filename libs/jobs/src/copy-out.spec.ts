import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'pg';
import { describe, expect, it } from '@jest/globals';
import { CopyOut, READ_AHEAD_BYTES } from './copy-out.js';

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
    if (seen.given.length < REST.length) return;
    seen.copy?.handleCommandComplete({ text: 'COPY 5' });
    seen.copy?.handleReadyForQuery();
  });
  const query = (sql: string): void => {
    seen.sent = sql;
  };
  return { stream, seen, as: { stream, query } as unknown as Connection };
}

async function textOf(copy: CopyOut): Promise<string> {
  let text = '';
  for await (const chunk of copy) text += chunk.toString('latin1');
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
    expect(copy.isOver).toBe(true);
    copy.handleError(new Error('division by zero'));
    copy.handleReadyForQuery();
    await expect(text).rejects.toThrow('division by zero');
    await copy.over;
  });

  it('goes on without a reader, and lets the socket wait when he is far behind', async () => {
    const { stream, seen, as } = connection();
    const copy = new CopyOut('COPY x TO STDOUT');
    seen.copy = copy;
    copy.submit(as);
    let sent = 0;
    for (; sent < 2 * READ_AHEAD_BYTES && !stream.isPaused(); sent += 65_531) {
      stream.write(message('d', Buffer.alloc(65_531, 'x')));
      await sleep(0);
    }
    expect(sent).toBeGreaterThan(0.9 * READ_AHEAD_BYTES);
    expect(sent).toBeLessThan(1.1 * READ_AHEAD_BYTES);
    const text = textOf(copy);
    stream.write(REST);
    expect((await text).length).toBe(sent);
    expect(stream.isPaused()).toBe(false);
  });

  it('is given up when its reader leaves, or does not come', async () => {
    const { stream, seen, as } = connection();
    const copy = new CopyOut('COPY x TO STDOUT');
    seen.copy = copy;
    copy.submit(as);
    stream.write(message('d', Buffer.alloc(600_000, 'x')));
    for await (const block of copy) {
      expect(block.length).toBeGreaterThan(0);
      break;
    }
    expect(copy.isOver).toBe(false);
    await expect(textOf(copy)).rejects.toThrow('not read to their end');
    const unread = new CopyOut('COPY y TO STDOUT');
    unread.destroy(new Error('no longer wanted'));
    await expect(textOf(unread)).rejects.toThrow('no longer wanted');
  });

  it('refuses a connection that somebody else reads', () => {
    const { stream, as } = connection();
    stream.on('data', () => undefined);
    expect(() => {
      new CopyOut('COPY x TO STDOUT').submit(as);
    }).toThrow('read by pg alone');
  });
});
