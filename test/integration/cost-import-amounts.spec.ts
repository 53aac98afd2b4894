import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { importOne } from '../fixtures/cost-import-rows.js';
import { startService, type TestService } from '../support/service.js';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  await service.stop();
});

const SEPARATORS = {
  comma: ',',
  space: ' ',
  apostrophe: "'",
  'no-break space': '\u00A0',
  'narrow no-break space': '\u202F',
  'right single quotation mark': '\u2019',
};

describe('a cost', () => {
  it.each(Object.entries(SEPARATORS))('may have groups of three, separated by a %s', async (_name, separator) => {
    expect(await importOne(service, { cost: `1${separator}234${separator}567.50` })).toMatchObject({
      codes: [],
      stored: { cost: '1234567.500000' },
    });
  });

  it.each(Object.entries(SEPARATORS))('has no group of two or four after a %s', async (_name, separator) => {
    for (const cost of [
      `12${separator}34`,
      `1${separator}2345`,
      `1234${separator}567`,
      `1${separator}23${separator}456`,
      `1${separator}${separator}234`,
      `1${separator}234.5${separator}678`,
    ]) {
      expect(await importOne(service, { cost })).toMatchObject({ codes: ['2 cost invalid_cost'], value: cost });
    }
  });

  it.each([
    ['1234.5', '1234.500000'],
    ['+1,234.50', '1234.500000'],
    ['0', '0.000000'],
    ['-0', '0.000000'],
    ['-0.000', '0.000000'],
    ['.5', '0.500000'],
    [' 12.30 ', '12.300000'],
    ['007', '7.000000'],
    ['999999999999999.999999', '999999999999999.999999'],
    ['999,999,999,999,999.000001', '999999999999999.000001'],
    ['0.000001', '0.000001'],
    ['1,234', '1234.000000'],
  ])('%j is stored exactly', async (cost, stored) => {
    expect(await importOne(service, { cost })).toMatchObject({ codes: [], stored: { cost: stored } });
  });

  it.each([
    '',
    '  ',
    'abc',
    '1e5',
    '1E5',
    '$5',
    '5 USD',
    '5€',
    'NaN',
    'Infinity',
    '-Infinity',
    '0x10',
    '1.2.3',
    '--5',
    '+-5',
    '+',
    '-',
    '.',
    '1.',
    ',123',
    '1,234,',
    '1_000',
    '(5)',
    '5%',
    '٣',
    '１２',
    'null',
    'true',
    "1,234'567",
    '1 234,567.00',
    '1\u00A0234 567',
    "1\u2019234'567",
    '1234567890123456',
    '1,000,000,000,000,000',
    '0.1234567',
    '1.0000000',
    '12,34',
    '1\n000',
  ])('%j is an invalid_cost', async (cost) => {
    expect(await importOne(service, { cost })).toMatchObject({
      codes: ['2 cost invalid_cost'],
      value: cost.trim(),
      stored: undefined,
    });
  });

  it.each(['-1', '-0.000001', '-1,234.50', ' -5 ', '-1234567890123456789', '-.5'])(
    '%j is a negative_cost',
    async (cost) => {
      expect(await importOne(service, { cost })).toMatchObject({ codes: ['2 cost negative_cost'], value: cost.trim() });
    },
  );

  it.each(['9,99', '1.234,56', '1234,5', '1 234,56', "1'234,5"])(
    '%j is told that it has a decimal comma',
    async (cost) => {
      expect((await importOne(service, { cost })).message).toMatch(/comma as decimal sign/);
    },
  );
});

describe('a revenue', () => {
  it.each(['-1', '9,99', '1e5', 'NaN', '1234567890123456', '0.1234567', '$5'])(
    '%j is ignored with invalid_revenue',
    async (revenue) => {
      expect(await importOne(service, { revenue })).toMatchObject({
        codes: ['2 revenue invalid_revenue'],
        value: revenue,
        stored: { revenue: null, cost: '10.000000' },
      });
    },
  );

  it.each([
    ['', null],
    ['0', '0.000000'],
    ['-0', '0.000000'],
    ["1'234.5", '1234.500000'],
  ])('%j is stored as %j', async (revenue, stored) => {
    expect(await importOne(service, { revenue })).toMatchObject({ codes: [], stored: { revenue: stored } });
  });
});

describe('a currency', () => {
  it.each([
    ['', 'USD'],
    ['eur', 'EUR'],
    [' Gbp ', 'GBP'],
    ['XXX', 'XXX'],
  ])('%j is stored as %j', async (currency, stored) => {
    expect(await importOne(service, { currency })).toMatchObject({ codes: [], stored: { currency: stored } });
  });

  it.each(['EURO', 'E1R', '€', 'US', 'ÄÖÜ', 'E R', 'ſſſ', 'EUR,USD'])(
    '%j is invalid_currency, and USD is used',
    async (currency) => {
      expect(await importOne(service, { currency })).toMatchObject({
        codes: ['2 currency invalid_currency'],
        value: currency,
        stored: { currency: 'USD' },
      });
    },
  );
});
