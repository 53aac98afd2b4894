import { describe, expect, it } from '@jest/globals';
import { findingsOf, visits, windowOf } from '../../../../test/fixtures/traffic-sessions.js';
import type { NetworkType } from '../networks/network-types.js';
import { guardShared, listAs, scoresHosts, widens } from './guards.js';
import type { Detector, EntityType, Severity, UaClass } from './traffic.js';

interface Guarded {
  networkType?: NetworkType;
  entityType?: EntityType;
  uaClass?: UaClass;
  severity?: Severity;
}

function guarded(scores: Partial<Record<Detector, number>>, part: Guarded = {}): Severity {
  const { networkType = 'business', entityType = 'network', uaClass = 'desktop', severity = 'confirmed' } = part;
  const window = windowOf(
    visits(10, () => ({ networkType, uaClass })),
    entityType,
  );
  return guardShared(severity, window, { p: 1, findings: findingsOf(scores) });
}

const ALL_BUT_LISTS_AND_TIME = {
  click_flood: 1,
  repeat_click: 1,
  no_engagement: 1,
  conversion_void: 1,
  path_template: 1,
  burst: 1,
  id_churn: 1,
  ua_impossible: 1,
  geo_conflict: 1,
  paid_only: 1,
};

describe('the guard for shared addresses', () => {
  it.each<NetworkType>(['mobile', 'relay', 'cdn', 'education', 'business', 'government'])(
    'leaves %p at suspected without evidence from lists or time',
    (networkType) => {
      expect(guarded(ALL_BUT_LISTS_AND_TIME, { networkType })).toBe('suspected');
      expect(guarded(ALL_BUT_LISTS_AND_TIME, { networkType, severity: 'likely' })).toBe('suspected');
      expect(guarded({}, { networkType, severity: 'clean' })).toBe('clean');
    },
  );

  it('never confirms carriers and relays, and offices only when they declare bots', () => {
    const declared = { declared_bot: 0.9 };
    expect(guarded(declared, { networkType: 'mobile' })).toBe('likely');
    expect(guarded(declared, { networkType: 'relay' })).toBe('likely');
    expect(guarded(declared)).toBe('confirmed');
    expect(guarded({ ...ALL_BUT_LISTS_AND_TIME, night_flat: 1, regular_interval: 1 })).toBe('likely');
  });

  it('takes home networks full of in-app browsers for shared ones', () => {
    expect(guarded(ALL_BUT_LISTS_AND_TIME, { networkType: 'isp', uaClass: 'in_app' })).toBe('suspected');
    expect(guarded(ALL_BUT_LISTS_AND_TIME, { networkType: 'isp' })).toBe('confirmed');
    expect(guarded(ALL_BUT_LISTS_AND_TIME, { networkType: 'hosting', uaClass: 'in_app' })).toBe('confirmed');
  });

  it('lets the own evidence of a visitor through', () => {
    expect(guarded({ network_hopping: 0.5 }, { entityType: 'visitor', networkType: 'mobile' })).toBe('likely');
    expect(guarded({ geo_conflict: 0.5 }, { entityType: 'visitor' })).toBe('likely');
    expect(guarded({ id_churn: 1 }, { entityType: 'visitor' })).toBe('suspected');
  });
});

describe('hosts and networks', () => {
  const host = (name: string, flagged: number, unflagged: number) => ({ host: name, flagged, unflagged });

  it('scores hosts at home and in offices', () => {
    expect((['isp', 'business', 'hosting', 'mobile'] as const).map(scoresHosts)).toEqual([true, true, false, false]);
  });

  it('widens a host when under 10% of the sessions of its network are unflagged', () => {
    expect(widens([host('a', 91, 0), host('b', 0, 9)])).toBe(true);
    expect(widens([host('a', 90, 0), host('b', 0, 10)])).toBe(false);
    expect(widens([host('a', 90, 10)])).toBe(false);
    expect(widens([])).toBe(false);
    expect(widens([host('a', 0, 0)])).toBe(false);
  });

  it('lists a network or hosts of it, never both', () => {
    const mixed = [host('a', 50, 1), host('b', 3, 40), host('c', 20, 0)];
    const isp = { networkFlagged: true, networkType: 'isp' } as const;
    expect(listAs(mixed, isp)).toEqual({ network: false, hosts: ['a', 'c'] });
    expect(listAs([host('a', 50, 1), host('b', 3, 2)], isp)).toEqual({ network: true, hosts: [] });
    expect(listAs(mixed, { networkFlagged: true, networkType: 'hosting' })).toEqual({ network: true, hosts: [] });
    expect(listAs(mixed, { networkFlagged: false, networkType: 'hosting' })).toEqual({
      network: false,
      hosts: ['a', 'c'],
    });
  });
});
