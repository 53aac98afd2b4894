import { expect, it } from '@jest/globals';
import { DiagnosticSeverity, Parser } from '@asyncapi/parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { collectedKey, visitorBucket } from '#contracts/collect/visitor-bucket.js';
import { DEAD_LETTER_RETENTION_MS, deadLetterTopic, TOPICS, type Topic } from '#contracts/topics.js';
import { deadLetterReason } from '#messaging/consumer/dead-letter-reason.js';
import { COLLECTED_KINDS } from '#apps/gateway/src/collect/collected-kinds.js';
import { asyncApiDocument, DEAD_LETTER_HEADERS } from '#apps/gateway/src/published/asyncapi.js';
import { schemaOfClass } from '#apps/gateway/src/published/class-schema.js';
import { EVENTS } from '#apps/gateway/src/published/events.asyncapi.js';

interface Channel {
  address: string;
  bindings: { kafka: { topic: string; partitions: number; topicConfiguration: { 'retention.ms': number } } };
}

const document = asyncApiDocument() as {
  channels: Record<string, Channel>;
  components: {
    messages: Record<string, { bindings: { kafka: { key: object } }; examples?: { payload: unknown }[] }>;
  };
};
const topics = Object.keys(TOPICS) as Topic[];

function validator(schema: object, root: object = {}): (value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false });
  (addFormats as unknown as (instance: Ajv2020) => void)(ajv);
  ajv.addFormat('uri-reference', true);
  // The root's `id` is a word of AsyncAPI, not of JSON Schema.
  return ajv.compile({ components: (root as { components?: object }).components ?? {}, ...schema });
}

/** As a consumer checks what it receives. */
function accepted(topic: Topic, data: unknown): boolean {
  return (
    validateSync(plainToInstance<object, unknown>(EVENTS[topic].type, data), { forbidUnknownValues: true }).length === 0
  );
}

function isSerious(severity: number): boolean {
  const least: number = DiagnosticSeverity.Warning;
  return severity <= least;
}

it('is valid by the parser of AsyncAPI, without errors and warnings of substance', async () => {
  const { document: parsed, diagnostics } = await new Parser().parse(JSON.stringify(document));
  const serious = diagnostics
    .filter(({ severity }) => isSerious(severity))
    .map(({ code, message, path }) => ({ code, message, path: path.join('.') }));
  // The parser recommends the newest version of AsyncAPI at any time.
  expect(serious.filter(({ code }) => code !== 'asyncapi-latest-version')).toEqual([]);
  expect(parsed?.version()).toBe('3.0.0');
});

it('has a channel with the settings of every topic and of its dead letters, and no other', () => {
  const channels = Object.values(document.channels).map(({ address, bindings: { kafka } }) => [
    address,
    kafka.topic,
    kafka.partitions,
    kafka.topicConfiguration['retention.ms'],
  ]);
  const expected = topics.flatMap((topic) => [
    [topic, topic, TOPICS[topic].partitions, TOPICS[topic].retentionMs],
    [deadLetterTopic(topic), deadLetterTopic(topic), 1, DEAD_LETTER_RETENTION_MS],
  ]);
  expect(channels).toEqual(expected);
});

it('has the key that a message really gets', () => {
  const asset = '0b9d0c5e-3f52-4a57-9f0a-6c1f6a6f2f11';
  for (const topic of topics) {
    const isCollected = Object.values(COLLECTED_KINDS).some((kind) => kind.topic === topic);
    const { bindings } = document.components.messages[topic.replaceAll('.', '-')]!;
    const check = validator(bindings.kafka.key);
    expect({ topic, keys: [check(asset), check(collectedKey(asset, visitorBucket('visitor-1')))] }).toEqual({
      topic,
      keys: [!isCollected, isCollected],
    });
  }
});

it('names the headers that a dead letter really gets', () => {
  const received = { topic: 'cost-import.requested.v1', partition: 0, offset: '7' } as Parameters<
    typeof deadLetterReason
  >[0];
  expect(Object.keys(DEAD_LETTER_HEADERS)).toEqual(Object.keys(deadLetterReason(received, new Error('no'), 'group')));
});

it.each(topics)('%s: the example fits the class, its schema and the whole message', (topic) => {
  const { type, example } = EVENTS[topic];
  expect(type.topic).toBe(topic);
  expect(accepted(topic, example)).toBe(true);
  expect(validator(schemaOfClass(type))(example)).toBe(true);
  const id = topic.replaceAll('.', '-');
  const [message] = document.components.messages[id]?.examples ?? [];
  const check = validator({ $ref: `#/components/messages/${id}/payload` }, document);
  expect(check(message?.payload)).toBe(true);
  expect(check({ ...(message?.payload as object), type: 'another' })).toBe(false);
});

it.each(topics)('%s: class and schema refuse the same faults, member by member', (topic) => {
  const { type, example } = EVENTS[topic];
  const check = validator(schemaOfClass(type));
  const wrong = [undefined, null, 'no', -1, 1.5, true, {}, ['no'], [1], [{ from: 'no', to: 'no' }]];
  let refused = 0;
  for (const name of Object.keys(example)) {
    for (const value of wrong) {
      const { [name]: _left, ...rest } = example as Record<string, unknown>;
      const data = value === undefined ? rest : { ...rest, [name]: value };
      const verdict = accepted(topic, data);
      expect({ name, value, verdict }).toEqual({ name, value, verdict: check(data) });
      if (!verdict) refused++;
    }
  }
  expect(refused).toBeGreaterThan(Object.keys(example).length * 3);
});
