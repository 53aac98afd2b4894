import type { Row } from './row.js';

const AT_HOME = [['Chrome', 'Android', 30], ['Mobile Safari', 'iOS', 26], ['Chrome', 'Windows', 24], ['Edge', 'Windows', 8], ['Safari', 'Mac OS X', 7], ['Firefox', 'Windows', 5]] as const; // prettier-ignore
const PHONES = [
  ['Chrome Mobile', 'Android', 48],
  ['Mobile Safari', 'iOS', 42],
  ['Samsung Internet', 'Android', 10],
] as const;
const DESKS = [
  ['Chrome', 'Windows', 55],
  ['Edge', 'Windows', 35],
  ['Firefox', 'Windows', 6],
  ['Chrome', 'macOS', 4],
] as const;
const APPS = [['Instagram', 'iOS', 40], ['Facebook', 'Android', 30], ['Instagram', 'Android', 20], ['Facebook', 'iOS', 10]] as const; // prettier-ignore
const ALL = [['google_ads', 26], ['meta_ads', 17], ['bing_ads', 4], ['organic', 27], ['direct', 19], ['email', 7]] as const; // prettier-ignore
const EVENING = [
  [20, 2.4, 60],
  [12.5, 3, 40],
] as const;
const WORK = [
  [10.2, 1.3, 50],
  [14.6, 1.6, 50],
] as const;
const WAYS = [
  [8, 0.9, 40],
  [17.6, 1.1, 45],
  [12.5, 1.5, 15],
] as const;

/** People of a style of their own: whoever tunes detection does not look at them. */
export const HELD_OUT_PEOPLE: readonly Row[] = [
  { name: 'suburbs', group: 'everyday_people', where: [['home', 1]], networks: [620, 900], visits: [1, 26], hosts: [1, 5], peaks: EVENING, fresh: 0.55, agents: AT_HOME, channels: ALL, walk: 'shopper' },
  { name: 'tower_blocks', group: 'everyday_people', where: [['home', 1]], crowded: true, networks: [3, 6], visits: [120, 350], hosts: [25, 90], peaks: EVENING, fresh: 0.55, agents: AT_HOME, channels: ALL, walk: 'shopper' },
  { name: 'commuters', group: 'everyday_people', where: [['mobile', 1]], networks: [12, 26], visits: [15, 160], hosts: [3, 30], peaks: WAYS, fresh: 0.85, agents: PHONES, channels: ALL, walk: 'shopper' },
  { name: 'workplaces', group: 'everyday_people', where: [['company', 9], ['authority', 1]], networks: [12, 24], visits: [8, 90], hosts: [1, 2], peaks: WORK, weekend: 0.04, fresh: 0.5, agents: DESKS, channels: ALL, walk: 'shopper' },
  { name: 'campuses', group: 'everyday_people', where: [['university', 1]], networks: [4, 9], visits: [20, 110], hosts: [2, 40], peaks: [[15, 4, 1]], fresh: 0.7, agents: AT_HOME, channels: ALL, walk: 'shopper' },
  { name: 'sale_hour', group: 'everyday_people', where: [['home', 30], ['mobile', 1]], networks: [90, 200], visits: [1, 5], hosts: [1, 4], peaks: [[18, 1, 1]], activeDays: [0.05, 0.1], minutes: [15, 50], fresh: 0.9, agents: PHONES, channels: [['meta_ads', 70], ['email', 30]], walk: 'shopper' },
  { name: 'regulars', group: 'everyday_people', where: [['home', 1]], networks: [25, 50], visits: [8, 40], hosts: [1, 1], peaks: EVENING, fresh: 0.04, agents: AT_HOME, oneAgent: true, channels: [['google_ads', 55], ['direct', 35], ['email', 10]], walk: 'buyer' },
  { name: 'story_swipers', group: 'awkward_people', where: [['mobile', 1]], networks: [9, 18], visits: [40, 350], hosts: [1, 6], peaks: [[21, 2.6, 70], [8, 1.5, 30]], fresh: 0.97, agents: APPS, channels: [['meta_ads', 97], ['direct', 3]], walk: 'swiper' },
  { name: 'relay_readers', group: 'awkward_people', where: [['relay', 1]], networks: [7, 16], visits: [8, 90], hosts: [4, 50], peaks: EVENING, fresh: 0.9, agents: [['Mobile Safari', 'iOS', 70], ['Safari', 'Mac OS X', 30]], channels: ALL, walk: 'shopper' },
  { name: 'vpn_streamers', group: 'awkward_people', where: [['vpn', 1]], networks: [6, 12], visits: [8, 50], hosts: [2, 25], peaks: [[21, 3, 1]], fresh: 0.8, agents: AT_HOME, channels: ALL, walk: 'shopper' },
  { name: 'support_desks', group: 'awkward_people', where: [['company', 1]], networks: [2, 5], visits: [110, 420], hosts: [1, 2], peaks: [[11, 2.5, 50], [15.5, 2, 50]], weekend: 0.5, fresh: 0.7, agents: [['Edge', 'Windows', 1], ['Chrome', 'Windows', 1]], oneAgent: true, channels: [['google_ads', 80], ['direct', 20]], walk: 'clerk' },
  { name: 'train_wifi', group: 'awkward_people', where: [['mobile', 2], ['home', 3], ['company', 1]], networks: [4, 9], visits: [30, 120], hosts: [1, 1], peaks: WAYS, fresh: 0.96, agents: PHONES, channels: ALL, walk: 'shopper' },
  { name: 'village_nat', group: 'awkward_people', where: [['shared_home', 1]], networks: [5, 11], visits: [35, 190], hosts: [1, 4], peaks: EVENING, fresh: 0.75, agents: AT_HOME, channels: ALL, walk: 'shopper' },
  { name: 'coupon_hunters', group: 'awkward_people', where: [['home', 1]], networks: [12, 30], visits: [10, 45], hosts: [1, 1], peaks: EVENING, activeDays: [0.2, 0.6], fresh: 0.15, agents: DESKS, oneAgent: true, channels: [['google_ads', 75], ['bing_ads', 15], ['direct', 10]], walk: 'buyer' },
  { name: 'nurses', group: 'awkward_people', where: [['home', 5], ['company', 4], ['university', 1]], networks: [8, 16], visits: [15, 60], hosts: [1, 2], peaks: [[3, 2, 70], [22, 1.5, 30]], fresh: 0.4, agents: AT_HOME, channels: ALL, walk: 'shopper' },
  { name: 'disappointed', group: 'awkward_people', where: [['home', 8], ['mobile', 1]], networks: [60, 120], visits: [1, 14], hosts: [1, 5], peaks: EVENING, activeDays: [0.3, 0.8], fresh: 0.9, agents: AT_HOME, channels: [['meta_ads', 80], ['bing_ads', 20]], walk: 'swiper' },
  { name: 'gateway_offices', group: 'awkward_people', where: [['gateway', 1]], networks: [4, 9], visits: [15, 90], hosts: [2, 30], peaks: WORK, weekend: 0.05, fresh: 0.5, agents: DESKS, channels: ALL, walk: 'shopper' },
  { name: 'cloud_desktops', group: 'awkward_people', where: [['hoster', 1]], networks: [2, 5], visits: [10, 45], hosts: [2, 10], peaks: WORK, weekend: 0.05, fresh: 0.35, agents: [['Edge', 'Windows', 1], ['Chrome', 'Windows', 1]], channels: ALL, walk: 'shopper' },
  { name: 'exam_rooms', group: 'awkward_people', where: [['university', 1]], networks: [2, 6], visits: [20, 70], hosts: [1, 1], peaks: [[10, 1, 1]], activeDays: [0.1, 0.1], minutes: [5, 30], fresh: 1, agents: [['Chrome', 'Chrome OS', 1]], channels: ALL, walk: 'clerk' },
  { name: 'library_computers', group: 'awkward_people', where: [['authority', 1], ['university', 1]], networks: [3, 6], visits: [30, 120], hosts: [1, 1], peaks: [[14, 3, 1]], weekend: 0.6, fresh: 1, agents: [['Firefox', 'Windows', 1]], channels: ALL, walk: 'shopper' },
  { name: 'border_towns', group: 'awkward_people', where: [['home', 1], ['mobile', 1]], networks: [8, 18], visits: [6, 40], hosts: [2, 8], peaks: EVENING, fresh: 0.5, agents: AT_HOME, channels: ALL, walk: 'shopper', countries: ['DE', 'CH'] },
  { name: 'agency_staff', group: 'awkward_people', where: [['company', 1]], networks: [2, 4], visits: [15, 60], hosts: [1, 1], peaks: WORK, weekend: 0, fresh: 0.3, agents: DESKS, channels: [['google_ads', 60], ['meta_ads', 30], ['direct', 10]], walk: 'clerk' },
]; // prettier-ignore
