import { expect, it } from '@jest/globals';
import { prefers } from './prefer.js';

it.each([
  'respond-async',
  'Respond-Async',
  'wait=10, respond-async',
  'respond-async; foo="a,b"',
  'foo="respond, \\"x", RESPOND-ASYNC , bar',
  'respond-async=""',
])('follows %s', (header) => {
  expect(prefers(header, 'respond-async')).toBe(true);
});

it.each([
  undefined,
  '',
  'respond-sync',
  'wait=10',
  'foo="respond-async"',
  'foo=", respond-async, "',
  'foo; respond-async',
  'respond-async=false',
  'not-respond-async',
])('passes over %s', (header) => {
  expect(prefers(header, 'respond-async')).toBe(false);
});
