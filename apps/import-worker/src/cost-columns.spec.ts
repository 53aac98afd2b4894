import { expect, it } from '@jest/globals';
import { cellsAt, cellsOfMembers, headerPositions, positionsWithoutHeader } from './cost-columns.js';

it.each([
  [['date', 'cost'], { date: 0, cost: 1, channel: -1 }],
  [[' Week ', 'SPEND'], { date: 0, cost: 1 }],
  [['spend', 'cost', 'week', 'week_ending'], { cost: 1, date: 2 }],
  [['cost', 'cost', 'spend'], { cost: 0, date: -1 }],
  [['constructor', '__proto__', 'toString', 'cost'], { cost: 3 }],
])('the header %j is read by name', (names, positions) => {
  expect(headerPositions(names)).toMatchObject(positions);
});

it.each([
  [['channel', 'source', 'campaign', 'currency', 'revenue']],
  [['2024-01-07', 'Google', '', '', '5']],
  [['']],
  [['dates', 'costs']],
])('%j is no header', (names) => {
  expect(headerPositions(names)).toBeUndefined();
});

it('short records have empty cells, extra cells are ignored', () => {
  expect(cellsAt(['d', 'c'], positionsWithoutHeader())).toEqual({
    date: 'd',
    channel: 'c',
    source: '',
    campaign: '',
    cost: '',
    currency: '',
    revenue: '',
  });
  expect(cellsAt(['d', 'c', 's', 'ca', '1', 'EUR', '2', 'x'], positionsWithoutHeader())).toMatchObject({
    campaign: 'ca',
    revenue: '2',
  });
});

it('members of a JSON row follow the rules of a header', () => {
  expect(
    cellsOfMembers([
      ['spend', '9'],
      ['Cost', '1'],
      ['cost', '2'],
      ['date', null],
      ['x', 'y'],
    ]),
  ).toMatchObject({ cost: '1', date: '', channel: '' });
  expect(Object.values(cellsOfMembers(null))).toEqual(Array(7).fill(''));
});
