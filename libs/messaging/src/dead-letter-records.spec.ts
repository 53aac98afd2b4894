import { afterEach, describe, expect, it } from '@jest/globals';
import type { Envelope } from '#contracts/envelope.js';
import { metricsRegistry } from '#runtime/metrics.js';
import { originalHeaders } from './consumer/dead-letter-reason.js';
import type { BadRecord, DeadLetterRecords } from './dead-letter-records.js';
import { PricesCollected, pricesCollected, type PricesMessage } from '../testing/batch-fixtures.js';
import { ASSET } from '../testing/consumer-fixtures.js';
import { startBatchService, stopBatchServices } from '../testing/in-memory-batches.js';
import { GROUP } from '../testing/kafka-app.js';

const TOPIC = PricesCollected.topic;

afterEach(stopBatchServices);

const bad = (record: unknown, code = 'missing_field', field = 'price'): BadRecord => ({
  record,
  code,
  field,
  message: '',
});

/** What the consumer gives to `records()` for one message. */
async function buried(message: { key: string; value: string }, ...calls: BadRecord[][]) {
  const parts: { injected?: DeadLetterRecords } = {};
  const react = async ([first]: readonly PricesMessage[]) => {
    if (first !== undefined) for (const call of calls) await parts.injected?.records(first, call);
  };
  const { kafka, letters, read, parts: injected } = await startBatchService(react);
  parts.injected = injected;
  kafka.append(TOPIC, { ...message, headers: { trace: 'x' } });
  await read(1);
  return letters().map(({ key, value, headers }) => ({
    key: key?.toString(),
    event: JSON.parse(value?.toString() ?? '') as Envelope<{ records: unknown[] }>,
    headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, String(text)])),
  }));
}

describe('the dead letter of some records of a message', () => {
  it('holds the envelope with only these, as they came, under an id of its own', async () => {
    const message = pricesCollected(['1', { price: null }, '3', 7]);
    const original = JSON.parse(message.value) as Envelope<object>;
    const [letter, ...more] = await buried(message, [bad({ price: null }), bad(7, 'invalid_json', '')]);
    expect(more).toEqual([]);
    expect(letter?.key).toBe(`${ASSET}:0`);
    expect(letter?.event).toEqual({
      ...original,
      id: expect.not.stringMatching(message.id),
      data: { asset_id: ASSET, records: [{ price: null }, 7] },
    });
    expect(letter?.headers).toEqual({
      trace: 'x',
      'x-error-code': 'invalid_message',
      'x-error-class': 'InvalidMessageError',
      'x-error-message': '2 of 4 records: missing_field price (1), invalid_json (1)',
      'x-error-count': '2',
      'x-origin-topic': TOPIC,
      'x-origin-partition': '0',
      'x-origin-offset': '0',
      'x-consumer': GROUP,
      'x-failed-at': expect.stringMatching(/Z$/),
    });
    expect(originalHeaders(letter?.headers ?? {})).toEqual({ trace: 'x' });
  });

  it('has the same id for the same records of the same message, and else another', async () => {
    const once = [bad('1')];
    const letters = await buried(pricesCollected(['1', '2']), once, once, [bad('2')], []);
    const [first, again, other, ...more] = letters.map(({ event }) => event.id);
    expect(more).toEqual([]);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    const [elsewhere] = await buried(pricesCollected(['1', '2']), once);
    expect(elsewhere?.event.id).not.toBe(first);
  });

  it('names the most frequent reasons and stays small, however many records are bad', async () => {
    const records = Array.from({ length: 500 }, (_, n) => String(n));
    const reasons = records.map((record, n) => bad(record, 'field_too_long', `field_${Math.floor(Math.sqrt(n))}`));
    const [letter] = await buried(pricesCollected(records), reasons);
    expect(letter?.headers['x-error-message']).toBe(
      '500 of 500 records: field_too_long field_21 (43), field_too_long field_20 (41), field_too_long field_19 (39), ' +
        'field_too_long field_18 (37), field_too_long field_17 (35), 18 more',
    );
    expect(letter?.headers['x-error-count']).toBe('500');
  });

  it('counts one letter, and the records by their codes', async () => {
    const counted = async (name: string) => {
      const metrics = await metricsRegistry.metrics();
      return Number(
        new RegExp(`^${name}\\{topic="${TOPIC}",code="invalid_(?:value|message)"\\} (\\d+)$`, 'm').exec(metrics)?.[1] ??
          0,
      );
    };
    const before = [
      await counted('tallyport_dead_letters_total'),
      await counted('tallyport_dead_letter_records_total'),
    ];
    await buried(pricesCollected(['1', '2', '3']), [bad('1', 'invalid_value'), bad('2', 'invalid_value'), bad('3')]);
    const after = [await counted('tallyport_dead_letters_total'), await counted('tallyport_dead_letter_records_total')];
    expect(after.map((count, n) => count - (before[n] ?? 0))).toEqual([1, 2]);
  });
});
