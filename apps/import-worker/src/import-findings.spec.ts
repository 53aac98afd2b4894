import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import type { CellIssue, CostRow } from './cost-row.js';
import { ImportFindings } from './import-findings.js';
import type { FileRow } from './read-cost-rows.js';

function at(line: number): FileRow {
  return {
    line,
    fileLine: line,
    cells: { date: '', channel: '', source: '', campaign: '', cost: '', currency: '', revenue: '' },
  };
}

function rowOf(date: string, channel = 'Google'): CostRow {
  return { date, channel, source: '', campaign: '', cost: '1', currency: 'USD', revenue: null };
}

const issue: CellIssue = { field: 'cost', code: 'invalid_cost', message: 'no', value: '' };

function findingsOf(...dates: string[]): ImportFindings {
  const findings = new ImportFindings();
  for (const [index, date] of dates.entries()) findings.accept(at(index + 2), rowOf(date), []);
  return findings;
}

describe('touched weeks are named by the Sunday that ends them', () => {
  it.each([
    ['a Sunday is its own', ['2024-01-07'], [['2024-01-07', '2024-01-07']]],
    ['a Monday and a Saturday belong to the next', ['2024-01-01', '2024-01-06'], [['2024-01-07', '2024-01-07']]],
    [
      'the last days of a year may belong to the next year',
      ['2024-12-30', '2024-12-29'],
      [['2024-12-29', '2025-01-05']],
    ],
    [
      'weeks in a row are one range, in any order, over the border of a year',
      ['2025-01-12', '2024-12-22', '2025-01-05', '2024-12-29'],
      [['2024-12-22', '2025-01-12']],
    ],
    [
      'a gap makes two ranges',
      ['2024-01-07', '2024-01-21', '2024-01-28'],
      [
        ['2024-01-07', '2024-01-07'],
        ['2024-01-21', '2024-01-28'],
      ],
    ],
    ['a leap day counts', ['2024-02-29', '2024-03-04'], [['2024-03-03', '2024-03-10']]],
    ['none without a row', [], []],
  ])('%s', (_name, dates, weeks) => {
    expect(findingsOf(...dates).touchedWeeks()).toEqual(weeks.map(([from, to]) => ({ from, to })));
  });
});

it('counts a file into its report', () => {
  const findings = findingsOf('2024-01-14', '2024-01-07', '2024-01-07');
  findings.reject(at(5), [issue, issue]);
  expect(findings.report(2)).toMatchObject({
    ok: true,
    total: 4,
    inserted: 2,
    updated: 1,
    skipped: 1,
    imported_from: '2024-01-07',
    imported_to: '2024-01-14',
    errors_total: 2,
    warnings_total: 0,
  });
  expect(findings.outcome).toBe('partial');
});

it('an outcome is none, partial, with_warnings or clean', () => {
  const rejected = new ImportFindings();
  rejected.reject(at(2), [issue]);
  const warned = new ImportFindings();
  warned.accept(at(2), rowOf('2024-01-07'), [issue]);
  expect([rejected, warned, findingsOf('2024-01-07')].map(({ outcome }) => outcome)).toEqual([
    'none',
    'with_warnings',
    'clean',
  ]);
  expect(rejected.report(0)).toMatchObject({ imported_from: null, imported_to: null });
});

it('keeps 1,000 remarks and counts all', () => {
  const findings = new ImportFindings();
  for (let line = 2; line < 602; line++) findings.reject(at(line), [issue, issue]);
  const { errors, errors_total: total } = findings.report(0);
  expect([errors.length, total, errors.at(-1)?.line]).toEqual([1000, 1200, 501]);
});

it('names the channels of the event in order, up to a limit', () => {
  const findings = new ImportFindings();
  for (const channel of ['b', 'a', 'b']) findings.accept(at(2), rowOf('2024-01-07', channel), []);
  expect(findings.touchedChannels()).toEqual({ channels: ['a', 'b'], channels_truncated: false });
});
