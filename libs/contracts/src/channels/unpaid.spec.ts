import { describe, expect, it } from '@jest/globals';
import { isUnpaidByWords, isUnpaidTouch } from './unpaid.js';

describe('a channel', () => {
  it.each([
    ['', '', true],
    ['  ', 'cpc', true],
    ['Organic Search', '', true],
    ['google_organic', '', true],
    ['(direct)', '', true],
    ['Direct', 'none', true],
    ['partner', 'referral', true],
    ['Newsletter May', '', true],
    ['e-mail', '', true],
    ['INTERNAL', '', true],
    ['Google Ads', 'cpc', false],
    ['google', 'organic', true],
    ['google', '', false],
    ['Directory', '', false],
    ['Yandex Direct', '', false],
    ['Direct mail', '', false],
    ['nonesuch', '', false],
    ['§§', '', false],
  ])('%p of type %p is unpaid by its words: %p', (name, type, unpaid) => {
    expect(isUnpaidByWords(name, type)).toBe(unpaid);
  });
});

describe('the last touch of an event', () => {
  it.each([
    ['', 'organic_search', true],
    ['', 'organic_social', true],
    ['', 'direct', true],
    ['', 'referral', true],
    ['', 'Organic Search', true],
    ['', 'ORGANIC-SOCIAL', true],
    ['', ' Direct ', true],
    ['Organic Search', '', true],
    ['organic_social', ' ', true],
    ['(direct)', '', true],
    ['Referral', '', true],
    ['organic', '', true],
    ['Programmatic Direct', '', false],
    ['Organic Search', 'paid_search', false],
    ['Direct', 'email', false],
    ['Google Ads', 'organic_search', true],
    ['Google Ads', '', false],
    ['email', '', false],
    ['newsletter', 'email', false],
    ['Yandex Direct', '', false],
    ['Direct mail', '', false],
    ['post', 'direct_mail', false],
    ['Paid Referral', '', false],
    ['Directory', '', false],
    ['§§', '', false],
    ['', '', false],
    [' ', ' ', false],
  ])('%p of type %p is unpaid: %p', (name, type, unpaid) => {
    expect(isUnpaidTouch(name, type)).toBe(unpaid);
  });
});
