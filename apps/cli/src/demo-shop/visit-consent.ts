import { v7 as uuidv7 } from 'uuid';
import type { Random } from './random.js';
import type { ShopConsent } from './records.js';
import type { ConsentAnswer, Visit } from './visits.js';

const OPTIONAL = ['functional', 'analytics', 'marketing'];
/** Countries whose visitors are followed until they object. */
const OPT_OUT = new Set(['US', 'CA', 'BR', 'JP']);
const CONFIG_MONTHS = 7;

/** What the banner was told, some seconds after the visit began. */
export function consentOf(visit: Visit, random: Random): ShopConsent | undefined {
  if (visit.consent === undefined) return undefined;
  const atMs = visit.startMs + random.whole(2_000, 20_000);
  const accepted = acceptedOf(visit.consent, random);
  const version = new Date(visit.startMs).toISOString().slice(0, CONFIG_MONTHS);
  return {
    consent_id: uuidv7({ msecs: atMs, random: random.bytes(16) }),
    consent_at: new Date(atMs).toISOString(),
    action: visit.consent,
    accepted: ['necessary', ...accepted],
    rejected: OPTIONAL.filter((category) => !accepted.includes(category)),
    mode: OPT_OUT.has(visit.person.place.country) ? 'opt-out' : 'opt-in',
    revision: String(new Date(visit.startMs).getUTCMonth() + 1),
    config_version: `banner-${version}`,
    locale: visit.person.place.locale,
    distinct_id: visit.device.distinctId,
    ip: visit.device.address(random),
  };
}

function acceptedOf(answer: ConsentAnswer, random: Random): string[] {
  switch (answer) {
    case 'accept':
      return OPTIONAL;
    case 'reject':
      return [];
    case 'update':
      return OPTIONAL.filter((category) => random.chance(category === 'marketing' ? 0.3 : 0.7));
  }
}
