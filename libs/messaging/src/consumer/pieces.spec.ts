import { describe, expect, it } from '@jest/globals';
import { PricesCollected, pricesCollected } from '../../testing/batch-fixtures.js';
import { pieces, type CheckedMessage } from './pieces.js';
import type { ReceivedMessage } from './received-message.js';

const received = (value: string | null, offset = 0): ReceivedMessage => ({
  topic: PricesCollected.topic,
  partition: 0,
  offset: String(offset),
  message: { key: null, value: value === null ? null : Buffer.from(value), headers: {} },
  heartbeat: () => Promise.resolve(),
});
const withRecords = (count: number, size = 1) =>
  received(pricesCollected(Array<string>(count).fill('x'.repeat(size))).value);
const sizes = (messages: ReceivedMessage[]) => [...pieces(PricesCollected, messages)].map((piece) => piece.length);
const only = (message: ReceivedMessage): CheckedMessage<PricesCollected> | undefined =>
  [...pieces(PricesCollected, [message])].flat()[0];

describe('the pieces of a batch', () => {
  it('hold at most 20 messages, 10,000 records and 5 MB', () => {
    const many = (count: number, records: number, size?: number) =>
      Array.from({ length: count }, () => withRecords(records, size));
    expect(sizes(many(45, 1))).toEqual([20, 20, 5]);
    expect(sizes(many(25, 500))).toEqual([20, 5]);
    expect(sizes(many(25, 1_000))).toEqual([10, 10, 5]);
    expect(sizes(many(25, 400, 1_000))).toEqual([12, 12, 1]);
    expect(sizes([])).toEqual([]);
  });

  it('are a single message when that alone is larger', () => {
    expect(sizes([withRecords(1), withRecords(20_000), withRecords(1)])).toEqual([1, 1, 1]);
  });

  it('check a message when its piece is asked for, not before', () => {
    let asked = 0;
    function* endless(): Generator<ReceivedMessage> {
      for (;;) {
        asked += 1;
        yield withRecords(1);
      }
    }
    const first = pieces(PricesCollected, endless()).next().value as unknown[];
    expect(first).toHaveLength(20);
    expect(asked).toBe(21);
  });

  it('give the data as an instance with the id and source of the envelope', () => {
    const { value, id } = pricesCollected(['1']);
    const message = received(value);
    const checked = only(message);
    expect(checked).toEqual({
      received: message,
      message: { id, source: '/tallyport/gateway', data: expect.any(PricesCollected), received: message },
    });
    expect(only(received(value.replace('"/tallyport/gateway"', '7')))).toMatchObject({ message: { source: '' } });
  });

  it('drop members that the class does not know, whatever they are named', () => {
    const { value } = pricesCollected(['1']);
    const checked = only(
      received(value.replace('"records"', '"__proto__":{"admin":true},"constructor":{},"more":1,"records"')),
    );
    const data: object = checked !== undefined && 'message' in checked ? checked.message.data : {};
    expect(Object.keys(data).sort()).toEqual(['asset_id', 'records']);
    expect(data).toBeInstanceOf(PricesCollected);
    expect('admin' in data).toBe(false);
  });

  it('keep an invalid message in its place, and a list as deep as it came', () => {
    const deep = pricesCollected([]).value.replace('[]', '['.repeat(100_000) + ']'.repeat(100_000));
    const invalid = [received(null), received('{"no'), received(pricesCollected([]).value.replace('records', 'x'))];
    const all = [...pieces(PricesCollected, [withRecords(1), ...invalid, received(deep), withRecords(1)])].flat();
    expect(all.map((checked) => ('error' in checked ? checked.error instanceof Error : 'fine'))).toEqual([
      'fine',
      true,
      true,
      true,
      'fine',
      'fine',
    ]);
  });
});
