import type { Detector } from '../traffic.js';
import { burst } from './burst.js';
import { clickFlood } from './click-flood.js';
import { clockLocked } from './clock-locked.js';
import { conversionVoid } from './conversion-void.js';
import { declaredBot } from './declared-bot.js';
import type { DetectorFunction } from './finding.js';
import { geoConflict } from './geo-conflict.js';
import { hostingNetwork } from './hosting-network.js';
import { idChurn } from './id-churn.js';
import { networkHopping } from './network-hopping.js';
import { nightFlat } from './night-flat.js';
import { noEngagement } from './no-engagement.js';
import { paidOnly } from './paid-only.js';
import { pathTemplate } from './path-template.js';
import { regularInterval } from './regular-interval.js';
import { repeatClick } from './repeat-click.js';
import { uaImpossible } from './ua-impossible.js';

/** Lists, activity, behaviour, time, identity: evidence of two of them weighs more than twice one. */
export type Category = 'lists' | 'activity' | 'behaviour' | 'time' | 'identity';

export interface DetectorEntry {
  readonly category: Category;
  /** null: supports others, but does not decide the class. */
  readonly ivtClass: 'GIVT' | 'SIVT' | null;
  readonly detect: DetectorFunction;
}

export const ALL_DETECTORS: Readonly<Record<Detector, DetectorEntry>> = {
  declared_bot: { category: 'lists', ivtClass: 'GIVT', detect: declaredBot },
  hosting_network: { category: 'lists', ivtClass: 'GIVT', detect: hostingNetwork },
  click_flood: { category: 'activity', ivtClass: 'GIVT', detect: clickFlood },
  repeat_click: { category: 'activity', ivtClass: 'GIVT', detect: repeatClick },
  no_engagement: { category: 'behaviour', ivtClass: 'SIVT', detect: noEngagement },
  conversion_void: { category: 'behaviour', ivtClass: 'SIVT', detect: conversionVoid },
  path_template: { category: 'behaviour', ivtClass: 'SIVT', detect: pathTemplate },
  regular_interval: { category: 'time', ivtClass: 'SIVT', detect: regularInterval },
  night_flat: { category: 'time', ivtClass: 'SIVT', detect: nightFlat },
  clock_locked: { category: 'time', ivtClass: 'SIVT', detect: clockLocked },
  burst: { category: 'activity', ivtClass: 'GIVT', detect: burst },
  id_churn: { category: 'identity', ivtClass: 'SIVT', detect: idChurn },
  ua_impossible: { category: 'identity', ivtClass: 'SIVT', detect: uaImpossible },
  geo_conflict: { category: 'identity', ivtClass: 'SIVT', detect: geoConflict },
  network_hopping: { category: 'identity', ivtClass: 'SIVT', detect: networkHopping },
  paid_only: { category: 'activity', ivtClass: null, detect: paidOnly },
};
