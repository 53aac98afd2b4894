import { expect, it } from '@jest/globals';
import { compareAddresses } from './address-order.js';

it('orders by number, IPv4 first', () => {
  const ordered = [
    '9.9.9.9',
    '10.0.0.0/24',
    '10.0.0.2',
    '10.0.0.10',
    '198.51.100.1',
    '2001:db8::/48',
    '2001:db8::/64',
    '2a00::1',
    'x',
  ];
  expect([...ordered].reverse().sort(compareAddresses)).toEqual(ordered);
  expect(compareAddresses('10.0.0.2', '10.0.0.2')).toBe(0);
});
