/** An event as collectors send it. */
export type StreamEvent = Record<
  | 'event_id'
  | 'event_time'
  | 'event_type'
  | 'distinct_id'
  | 'page_host'
  | 'page_path'
  | 'ft_channel'
  | 'ft_source'
  | 'lt_channel'
  | 'lt_channel_type'
  | 'lt_source'
  | 'lt_medium'
  | 'lt_campaign'
  | 'ip'
  | 'geo_country'
  | 'geo_region'
  | 'geo_city'
  | 'ua_browser'
  | 'ua_os',
  string
> & { global_user_id?: string };

interface Visit {
  visitor: number;
  channel: number;
  left: number;
}

const CHANNELS = ['Google Ads', 'Meta Ads', 'TikTok', 'Bing Ads', 'Organic Search', 'Direct', 'Email', 'Referral'];
const TYPES = [
  'paid_search',
  'paid_social',
  'paid_social',
  'paid_search',
  'organic_search',
  'direct',
  'email',
  'referral',
];
const BROWSERS = ['Chrome', 'Safari', 'Firefox', 'Edge', 'Samsung Internet'];
const SYSTEMS = ['Windows', 'macOS', 'Android', 'iOS', 'Linux'];
const COUNTRIES = ['US', 'DE', 'FR', 'GB', 'ES', 'IT', 'NL', 'PL', 'BR', 'JP'];
/** Mean time between the events of a session. */
const PAUSE_MS = 120_000;
const NEW_VISITOR = 0.36;
const EVENTS_PER_VISIT = 3.1;

/**
 * Events in order of time over so many days that end at `until`: 3.1 a session, 2.8 sessions a visitor, 2,000 places, 8,000
 * campaigns; one visitor in eight is a named person. The same numbers give the same events.
 */
export function* eventStream(count: number, days: number, until: Date): Generator<StreamEvent> {
  const random = splitMix(count);
  const step = (days * 86_400_000) / count;
  const start = until.getTime() - days * 86_400_000;
  const open: Visit[] = [];
  const openVisits = Math.max(1, Math.round(PAUSE_MS / step));
  let visitors = 0;
  for (let number = 0; number < count; number++) {
    const slot = Math.floor(random() * openVisits);
    let visit = open[slot];
    if (visit === undefined || visit.left === 0) {
      const visitor = random() < NEW_VISITOR || visitors === 0 ? visitors++ : Math.floor(random() * visitors);
      visit = {
        visitor,
        channel: Math.floor(random() ** 2 * CHANNELS.length),
        left: 1 + Math.floor(random() * 2 * (EVENTS_PER_VISIT - 0.5)),
      };
      open[slot] = visit;
    }
    visit.left--;
    yield event(number, start + number * step, visit);
  }
}

function event(number: number, time: number, { visitor, channel, left }: Visit): StreamEvent {
  const place = visitor % 2_000;
  const campaign = (visitor * 7) % 1_000;
  const name = CHANNELS[channel] ?? '';
  const at = new Date(time).toISOString();
  return {
    event_id: uuidLike(time, number),
    event_time: at,
    event_type: left === 0 && number % 9 === 0 ? 'conversion' : 'page_view',
    distinct_id: `visitor-${visitor}-${(visitor * 2_654_435_761) % 4_294_967_296}`,
    page_host: 'shop.example.com',
    page_path: `/products/${number % 977}/details`,
    ft_channel: name,
    ft_source: name.toLowerCase(),
    lt_channel: name,
    lt_channel_type: TYPES[channel] ?? '',
    lt_source: name.split(' ')[0]?.toLowerCase() ?? '',
    lt_medium: channel < 4 ? 'cpc' : 'organic',
    lt_campaign: `Campaign ${campaign}`,
    ip: `203.0.113.${visitor % 256}`,
    geo_country: COUNTRIES[place % COUNTRIES.length] ?? '',
    geo_region: `Region ${place % 100}`,
    geo_city: `City ${place}`,
    ua_browser: BROWSERS[visitor % BROWSERS.length] ?? '',
    ua_os: SYSTEMS[(visitor >> 3) % SYSTEMS.length] ?? '',
    ...(visitor % 8 === 0 ? { global_user_id: `user-${visitor}` } : {}),
  };
}

/** Ordered by time like a UUIDv7. */
function uuidLike(time: number, number: number): string {
  const hex = Math.floor(time).toString(16).padStart(12, '0');
  const tail = number.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${tail}`;
}

/** SplitMix32, https://doi.org/10.1145/2714064.2660195, in [0, 1). */
function splitMix(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4_294_967_296;
  };
}
