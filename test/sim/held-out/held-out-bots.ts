import type { Row } from './row.js';

const CHROME = [['Chrome', 'Windows', 5], ['Chrome', 'Linux', 3], ['Chrome', 'macOS', 2]] as const; // prettier-ignore
const MANY = [['Chrome', 'Windows', 30], ['Chrome', 'Android', 24], ['Mobile Safari', 'iOS', 18], ['Edge', 'Windows', 10], ['Firefox', 'Windows', 9], ['Safari', 'macOS', 9]] as const; // prettier-ignore
const APPS = [
  ['Instagram', 'Android', 40],
  ['Facebook', 'Android', 60],
] as const;
const SEARCH = [
  ['google_ads', 85],
  ['bing_ads', 15],
] as const;
const PAID = [
  ['google_ads', 55],
  ['meta_ads', 35],
  ['bing_ads', 10],
] as const;
const DAYTIME = [
  [11, 3, 45],
  [19, 3, 55],
] as const;

/** Bots of a style of their own: whoever tunes detection does not look at them. */
export const HELD_OUT_BOTS: readonly Row[] = [
  { name: 'price_monitors', group: 'crude_bots', where: [['hoster', 1]], networks: [1, 4], visits: [15, 160], hosts: [1, 6], fresh: 1, agents: [['axios', 'Other', 1], ['Go-http-client', 'Other', 1], ['okhttp', 'Other', 1], ['Scrapy', 'Other', 1], ['curl', 'Other', 1]], channels: [['direct', 80], ['organic', 20]], walk: 'harvester' },
  { name: 'site_auditors', group: 'crude_bots', where: [['hoster', 3], ['company', 1]], networks: [1, 3], visits: [12, 90], hosts: [1, 3], fresh: 0.5, agents: [['Screaming Frog SEO Spider', 'Other', 1], ['DotBot', 'Other', 1], ['Bytespider', 'Other', 1], ['PetalBot', 'Android', 1]], channels: [['direct', 100]], walk: 'harvester' },
  { name: 'ad_verifiers', group: 'crude_bots', where: [['hoster', 1]], networks: [1, 4], visits: [20, 150], hosts: [1, 12], fresh: 1, agents: [['Chrome Headless', 'Linux', 2], ['HeadlessChrome', 'Windows', 1], ['PhantomJS', 'Linux', 1]], channels: PAID, walk: 'away' },
  { name: 'competitors', group: 'crude_bots', where: [['home', 1]], networks: [2, 5], visits: [90, 300], hosts: [1, 1], peaks: [[9, 2.5, 1]], weekend: 0.3, fresh: 0.4, agents: CHROME, oneAgent: true, channels: SEARCH, walk: 'away' },
  { name: 'pixel_stuffers', group: 'crude_bots', where: [['hoster', 1]], networks: [2, 5], visits: [30, 400], hosts: [1, 8], fresh: 1, agents: MANY, channels: [['meta_ads', 100]], walk: 'twice' },
  { name: 'timers', group: 'crude_bots', where: [['hoster', 3], ['vpn', 1]], networks: [1, 4], visits: [40, 170], hosts: [1, 2], period: [[1_850, 6_500], 0.08], fresh: 1, agents: CHROME, oneAgent: true, channels: SEARCH, walk: 'away' },
  { name: 'minute_batches', group: 'crude_bots', where: [['hoster', 1]], networks: [1, 3], visits: [40, 200], hosts: [2, 6], seconds: 4, fresh: 1, agents: MANY, channels: PAID, walk: 'mostlyAway' },
  { name: 'click_storms', group: 'crude_bots', where: [['hoster', 3], ['vpn', 1]], networks: [1, 3], visits: [60, 220], hosts: [3, 50], minutes: [6, 18], fresh: 1, agents: MANY, channels: PAID, walk: 'away' },
  { name: 'old_machines', group: 'crude_bots', where: [['hoster', 1]], networks: [1, 3], visits: [25, 140], hosts: [2, 20], peaks: DAYTIME, fresh: 1, agents: [['IE', 'Windows', 2], ['Safari', 'Windows', 2], ['Chrome', 'Windows', 3], ['Safari', 'Linux', 1]], channels: SEARCH, walk: 'mostlyAway' },

  { name: 'lunch_farm', group: 'blending_bots', where: [['hoster', 1]], networks: [3, 7], visits: [15, 120], hosts: [3, 40], peaks: [[12.5, 2.5, 60], [20, 2, 40]], fresh: 0.95, agents: MANY, channels: [['google_ads', 70], ['meta_ads', 22], ['organic', 8]], walk: 'mostlyAway' },
  { name: 'careful_farm', group: 'blending_bots', where: [['hoster', 1]], networks: [2, 5], visits: [20, 110], hosts: [3, 40], peaks: DAYTIME, fresh: 0.9, agents: MANY, channels: PAID, walk: 'sometimesAway' },
  { name: 'replay_walkers', group: 'blending_bots', where: [['hoster', 1]], networks: [1, 4], visits: [30, 130], hosts: [2, 20], peaks: DAYTIME, fresh: 1, agents: CHROME, channels: PAID, walk: 'stroller' },
  { name: 'cloud_drip', group: 'blending_bots', where: [['hoster', 1]], oneOwner: true, networks: [25, 60], visits: [3, 9], hosts: [5, 50], peaks: DAYTIME, fresh: 1, agents: MANY, channels: PAID, walk: 'mostlyAway' },
  { name: 'neighbours', group: 'blending_bots', where: [['home', 1]], among: 'few', networks: [2, 4], visits: [60, 190], hosts: [1, 1], peaks: DAYTIME, fresh: 0.9, agents: CHROME, oneAgent: true, channels: SEARCH, walk: 'mostlyAway' },
  { name: 'lodgers', group: 'blending_bots', where: [['home', 1]], among: 'many', networks: [1, 4], visits: [50, 170], hosts: [1, 1], peaks: DAYTIME, fresh: 0.9, agents: CHROME, oneAgent: true, channels: SEARCH, walk: 'mostlyAway' },
  { name: 'vpn_pool', group: 'blending_bots', where: [['vpn', 1]], networks: [2, 5], visits: [25, 120], hosts: [3, 40], peaks: DAYTIME, fresh: 1, agents: MANY, channels: PAID, walk: 'mostlyAway' },
  { name: 'emulators', group: 'blending_bots', where: [['hoster', 1]], networks: [2, 5], visits: [25, 180], hosts: [5, 100], peaks: [[22, 4, 1]], fresh: 1, agents: APPS, channels: [['meta_ads', 100]], walk: 'mostlyAway' },
  { name: 'weekend_clickers', group: 'blending_bots', where: [['hoster', 1]], networks: [1, 4], visits: [15, 80], hosts: [2, 10], weekend: 30, fresh: 1, agents: CHROME, channels: SEARCH, walk: 'away' },
  { name: 'sleepless_homes', group: 'blending_bots', where: [['home', 1]], networks: [2, 4], visits: [90, 260], hosts: [1, 2], peaks: [[4, 1.8, 1]], fresh: 0.9, agents: CHROME, channels: SEARCH, walk: 'away' },
  { name: 'lead_forgers', group: 'blending_bots', where: [['hoster', 1]], networks: [1, 3], visits: [30, 120], hosts: [2, 20], peaks: DAYTIME, fresh: 1, agents: CHROME, channels: PAID, walk: 'leads' },
  { name: 'wandering_countries', group: 'blending_bots', where: [['hoster', 1]], networks: [1, 4], visits: [25, 120], hosts: [2, 20], fresh: 0.6, agents: MANY, channels: SEARCH, walk: 'mostlyAway', countries: ['US', 'BR', 'NG', 'VN', 'RU', 'ID', 'PK'] },

  { name: 'proxy_swarm', group: 'hidden_bots', where: [['home', 1]], networks: [80, 200], visits: [1, 3], hosts: [1, 2], peaks: DAYTIME, fresh: 1, agents: MANY, channels: PAID, walk: 'mostlyAway' },
  { name: 'carrier_riders', group: 'hidden_bots', where: [['mobile', 1]], networks: [1, 2], visits: [20, 70], hosts: [2, 6], peaks: DAYTIME, fresh: 1, agents: [['Chrome Mobile', 'Android', 1]], channels: [['meta_ads', 100]], walk: 'mostlyAway' },
  { name: 'desk_clickers', group: 'hidden_bots', where: [['company', 1]], networks: [1, 3], visits: [20, 90], hosts: [1, 3], peaks: [[10.5, 1.5, 1], [15, 1.5, 1]], weekend: 0, fresh: 0.6, agents: [['Edge', 'Windows', 1], ['Chrome', 'Windows', 1]], channels: SEARCH, walk: 'mostlyAway' },
]; // prettier-ignore
