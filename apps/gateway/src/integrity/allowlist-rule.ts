import type { NewAllowlistRule } from '#contracts/integrity/allowlist.js';
import { isLongerThan, isWholeText } from '#contracts/text.js';
import { invalidParameter } from '#runtime/query.js';
import { DAY_FORM, isDay } from '../exports/date-range.js';
import { jsonMembers } from '../uploads/json-members.js';
import { canonicalCidr } from './cidr.js';

const MEMBERS = ['cidr', 'asn', 'reason', 'until'] as const;
const MOST_CHARACTERS = 256;
const LARGEST_ASN = 2 ** 32 - 1;

/**
 * Reads `{cidr | asn, reason, until?}`; null is an absent member.
 *
 * @throws AppError `invalid_json` · `invalid_parameter` naming each member that is wrong
 */
export function readAllowlistRule(body: string): NewAllowlistRule {
  const { cidr, asn, reason, until } = jsonMembers(body, MEMBERS);
  const errors: { name: string; reason: string }[] = [];
  const rule: NewAllowlistRule = { cidr: null, asn: null, reason: '', until: null };
  if (isGiven(cidr) === isGiven(asn)) errors.push({ name: 'cidr', reason: 'or `asn` must be given, and not both' });
  if (isGiven(cidr)) {
    const read = typeof cidr === 'string' ? canonicalCidr(cidr) : { reason: 'must be a string' };
    if ('cidr' in read) rule.cidr = read.cidr;
    else errors.push({ name: 'cidr', reason: read.reason });
  }
  if (isGiven(asn)) {
    if (typeof asn === 'number' && Number.isInteger(asn) && asn >= 1 && asn <= LARGEST_ASN) rule.asn = asn;
    else errors.push({ name: 'asn', reason: `must be a whole number from 1 to ${LARGEST_ASN}` });
  }
  const text = typeof reason === 'string' ? reason.trim() : '';
  if (text === '' || isLongerThan(text, MOST_CHARACTERS) || !isWholeText(text))
    errors.push({ name: 'reason', reason: `must be text of 1 to ${MOST_CHARACTERS} characters` });
  else rule.reason = text;
  if (isGiven(until)) {
    if (typeof until === 'string' && isDay(until)) rule.until = until;
    else errors.push({ name: 'until', reason: DAY_FORM });
  }
  if (errors.length > 0) throw invalidParameter(errors);
  return rule;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
