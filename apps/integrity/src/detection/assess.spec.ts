import { describe, expect, it } from '@jest/globals';
import { DAY, NOON, people, session, visits, type SessionPart } from '../../../../test/fixtures/traffic-sessions.js';
import { assess } from './assess.js';
import type { AssessmentRequest, Detection, TrafficSession } from './traffic.js';

const HOUR = 3_600_000;
const DAY_MS = 24 * HOUR;
const NET = '8.8.4.0/24';
const HOST = '8.8.4.9';

function detectionsOf(
  sessions: readonly TrafficSession[],
  part: Partial<AssessmentRequest> = {},
): readonly Detection[] {
  const request = { firstDay: DAY, lastDay: DAY + 6, throughDay: DAY + 6, allow: [], assetId: 'asset' };
  return assess({ ...request, ...part, sessions: [...people(300), ...sessions] }).detections;
}

/** So many declared crawls on a day, half an hour apart, each with an id of its own. */
function crawls(count: number, day = 0, part: SessionPart = {}): TrafficSession[] {
  const bot: SessionPart = { uaClass: 'bot', browser: 'Googlebot', networkType: 'hosting', net: NET, host: HOST };
  return visits(
    count,
    (index) => ({
      ...bot,
      startedAt: NOON + day * DAY_MS + index * 1_700_000,
      standing: 'unpaid',
      channel: '',
      ...part,
    }),
    { name: `crawl ${day}` },
  );
}

/** A home where one machine clicks the ad again and again. */
function clicker(count: number, day = 0, part: SessionPart = {}): TrafficSession[] {
  return visits(
    count,
    (index) => ({
      startedAt: NOON + day * DAY_MS + index * 97_000,
      net: NET,
      host: HOST,
      visitor: `new ${day} ${index}`,
      ...part,
    }),
    { name: `click ${day}` },
  );
}

const brief = ({ entityId, day, severity, counts }: Detection) => [
  entityId,
  day - DAY,
  severity,
  counts.flaggedSessions,
];

describe('assess', () => {
  it('finds nothing among people', () => {
    expect(detectionsOf([])).toEqual([]);
    expect(
      assess({ sessions: [], firstDay: 0, lastDay: 9, throughDay: 9, allow: [], assetId: 'a' }).detections,
    ).toEqual([]);
  });

  it('says everything about a network, with reasons that add up', () => {
    const detections = detectionsOf(crawls(12));
    expect(detections.map(brief)).toEqual([['net-8.8.4.0-24', 0, 'confirmed', 12]]);
    const [detection] = detections;
    expect(detection).toMatchObject({
      entityType: 'network',
      entityKey: NET,
      channel: '',
      standing: 'unpaid',
      asn: 64500,
      networkType: 'hosting',
      ivtClass: 'GIVT',
      counts: { sessions: 12, paidSessions: 0, flaggedSessions: 12, flaggedEvents: 12, conversions: 0 },
    });
    expect(detection!.reasons[0]).toMatchObject({
      code: 'declared_bot',
      sentence: '12 of 12 sessions declare Googlebot',
    });
    expect(detection!.reasons.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(1, 9);
    expect(detection!.scores.hosting_network).toBe(1);
  });

  it('says the same whatever the order of the sessions', () => {
    const sessions = [...people(300), ...crawls(12), ...clicker(60, 2), ...clicker(30, 4)];
    const request = { firstDay: DAY, lastDay: DAY + 6, throughDay: DAY + 6, allow: [], assetId: 'asset' };
    const shuffled = sessions.map((one, index) => sessions[(index * 7) % sessions.length] ?? one);
    expect(shuffled).toHaveLength(new Set(shuffled).size);
    expect(assess({ ...request, sessions: shuffled })).toEqual(assess({ ...request, sessions }));
    expect(assess({ ...request, sessions: sessions.reverse() })).toEqual(assess({ ...request, sessions: shuffled }));
  });

  it('raises the six days before a window that is likely or confirmed, on days with sessions', () => {
    // Two crawls a day: the first windows are too small, the sixth day has twelve in its window.
    const slow = [0, 1, 2, 4, 5, 6].flatMap((day) => crawls(2, day));
    const detections = detectionsOf(slow);
    expect(detections.map(brief)).toEqual([0, 1, 2, 4, 5, 6].map((day) => ['net-8.8.4.0-24', day, 'confirmed', 2]));
    expect(new Set(detections.map(({ window: [from, to] }) => `${from - DAY} ${to - DAY}`))).toEqual(new Set(['0 6']));
    const early = detectionsOf(slow, { lastDay: DAY + 2, throughDay: DAY + 2 });
    expect(early.map(brief)).toEqual([0, 1, 2].map((day) => ['net-8.8.4.0-24', day, 'likely', 2]));
  });

  it('raises no day by a window that is suspected only, nor by one that lies a week on', () => {
    const drops = [0, 3].flatMap((day) => crawls(2, day, { uaClass: 'desktop', browser: 'Chrome' }));
    expect(detectionsOf(drops).map(brief)).toEqual([['net-8.8.4.0-24', 3, 'suspected', 0]]);
    const far = detectionsOf([...crawls(2, 0), ...crawls(12, 7)], { lastDay: DAY + 7, throughDay: DAY + 7 });
    expect(far.map(brief)).toEqual([['net-8.8.4.0-24', 7, 'confirmed', 12]]);
  });

  it('never flags a session with human evidence of its own', () => {
    const [first, second, ...rest] = crawls(20);
    const sessions = [{ ...first!, conversions: 1 }, { ...second!, convertedBefore: true }, ...rest];
    const [detection] = detectionsOf(sessions);
    expect(detection!.counts).toMatchObject({ sessions: 20, flaggedSessions: 18, conversions: 1 });
    expect(detection!.flagged).not.toContain(sessions[0]);
  });

  it('counts each session once, under the host before the network before the visitor', () => {
    const sessions = clicker(80, 0, { visitor: 'one id' });
    const detections = detectionsOf(sessions);
    const flagged = detections.flatMap((one) => one.flagged);
    expect(flagged).toHaveLength(80);
    expect(new Set(flagged).size).toBe(80);
    expect(detections.find(({ entityType }) => entityType === 'host')!.counts.flaggedSessions).toBe(80);
    expect(detections.find(({ entityType }) => entityType === 'network')!.counts.flaggedSessions).toBe(0);
  });

  it('makes one detection per channel and standing', () => {
    const mixed = [
      ...crawls(6, 0, { channel: 'google_ads', standing: 'paid' }),
      ...crawls(6, 1, { channel: 'meta_ads', standing: 'paid' }).map((one) => ({
        ...one,
        startedAt: one.startedAt - DAY_MS,
        day: DAY,
      })),
      ...crawls(3, 2, { channel: 'google_ads' }).map((one) => ({
        ...one,
        startedAt: one.startedAt - 2 * DAY_MS,
        day: DAY,
      })),
    ];
    const parts = detectionsOf(mixed).map(({ channel, standing, counts }) => [
      channel,
      standing,
      counts.paidSessions,
      counts.sessions,
    ]);
    expect(parts).toEqual([
      ['google_ads', 'paid', 6, 6],
      ['google_ads', 'unpaid', 0, 3],
      ['meta_ads', 'paid', 6, 6],
    ]);
  });

  it('flags the host, not the people beside it', () => {
    const neighbours = people(40, { net: NET }).map((one, index) => ({ ...one, host: `8.8.4.${100 + index}` }));
    const detections = detectionsOf([...clicker(80), ...neighbours]);
    const flagged = detections.filter(({ counts }) => counts.flaggedSessions > 0);
    expect(new Set(flagged.map(({ entityId }) => entityId))).toEqual(new Set(['host-8.8.4.9']));
    expect(
      detections.filter(({ entityType }) => entityType === 'network').map(({ severity }) => severity),
    ).not.toContain('likely');
  });

  it('never scores reserved addresses, and sessions without an address for their visitor only', () => {
    expect(detectionsOf(crawls(20, 0, { networkType: 'reserved' }))).toEqual([]);
    const lost = detectionsOf(crawls(20, 0, { net: '', host: '', asn: null, networkType: 'unknown', visitor: 'lost' }));
    expect(lost.map(({ entityType, severity, asn }) => [entityType, severity, asn])).toEqual([
      ['visitor', 'confirmed', null],
    ]);
    expect(lost[0]!.entityId).toMatch(/^vis-[0-9a-f]{16}$/);
  });

  it('finds a visitor id that hops between networks, per AS and network type', () => {
    const hops = visits(24, (index) => ({
      visitor: 'hopper',
      net: `8.9.${index}.0/24`,
      host: `8.9.${index}.1`,
      asn: 64500 + (index % 2),
      startedAt: NOON + Math.floor(index / 12) * DAY_MS + (index % 12) * 1_900_000,
    }));
    const detections = detectionsOf(hops);
    expect(detections.map(({ entityType, asn, counts }) => [entityType, asn, counts.flaggedSessions])).toEqual([
      ['visitor', 64500, 6],
      ['visitor', 64501, 6],
      ['visitor', 64500, 6],
      ['visitor', 64501, 6],
    ]);
    expect(detections[0]!.reasons.map(({ code }) => code)).toContain('network_hopping');
  });

  it('pools small networks of a hoster, and raises those that do what the pool does', () => {
    const drip = Array.from({ length: 20 }, (_, index) => crawls(4, index % 7, { net: `8.9.${index}.0/24`, host: `8.9.${index}.1` }))
      .flat()
      .map((one, index) => ({ ...one, key: `drip ${index}`, visitor: `drip ${index}`, browser: 'Chrome', uaClass: 'desktop' as const, standing: 'paid' as const, channel: 'google_ads', startedAt: one.startedAt + ((index * 7_919) % 600_000) })); // prettier-ignore
    const tenant = crawls(5, 0, { net: '8.10.0.0/24', host: '8.10.0.1', browser: 'Chrome', uaClass: 'desktop' });
    const detections = detectionsOf([...drip, ...tenant]);
    const severities = (id: RegExp) =>
      new Set(detections.filter(({ entityId }) => id.test(entityId)).map(({ severity }) => severity));
    expect(severities(/^net-8\.9\./)).toEqual(new Set(['likely']));
    expect(severities(/^net-8\.10\./)).toEqual(new Set(['suspected']));
    const pool = detections.filter(({ entityType }) => entityType === 'asn');
    expect(pool.length).toBeGreaterThan(0);
    expect(pool.every(({ entityId, flagged }) => entityId === 'asn-64500' && flagged.length === 0)).toBe(true);
    expect(detections.flatMap(({ flagged }) => flagged)).toHaveLength(80);
  });

  describe('allow rules', () => {
    const rule = (part: object) => ({ id: 'rule', cidr: null, asn: null, untilDay: null, ...part });

    it.each([
      ['its network', { cidr: '8.8.4.0/22' }],
      ['its host', { cidr: '8.8.4.9/32' }],
      ['its AS', { asn: 64500 }],
    ])('make an entity clean by %s, and say what it would have been', (_, part) => {
      const detections = detectionsOf(crawls(12), {
        allow: [rule({ cidr: '1.2.3.4' }), { ...rule(part), id: 'office' }],
      });
      expect(detections.map(brief)).toEqual([['net-8.8.4.0-24', 0, 'clean', 0]]);
      expect(detections[0]!.allowed).toEqual({ rule: 'office', severity: 'confirmed' });
    });

    it('hold until a day, and for the allowed sessions only', () => {
      const two = [...crawls(12, 0), ...crawls(12, 1)];
      expect(detectionsOf(two, { allow: [rule({ cidr: NET, untilDay: DAY + 1 })] }).map(brief)).toEqual([
        ['net-8.8.4.0-24', 0, 'clean', 0],
        ['net-8.8.4.0-24', 1, 'confirmed', 12],
      ]);
      const beside = crawls(12, 0, { host: '8.8.4.10' }).map((one) => ({
        ...one,
        key: `${one.key} b`,
        visitor: `${one.visitor} b`,
      }));
      const detections = detectionsOf([...crawls(12), ...beside], { allow: [rule({ cidr: HOST })] });
      expect(detections.map(brief)).toEqual([['net-8.8.4.0-24', 0, 'confirmed', 12]]);
    });
  });
});

describe('people behind shared addresses', () => {
  /** Many people on one address who see one page through the ad in an app and leave. */
  function crowd(part: SessionPart, count = 400): TrafficSession[] {
    return visits(
      count,
      (index) => ({
        net: NET,
        host: `8.8.4.${index % 4}`,
        visitor: `guest ${index}`,
        startedAt: DAY * DAY_MS + (index % 7) * DAY_MS + 9 * HOUR + ((index * 6_133_337) % (11 * HOUR)),
        ...part,
      }),
      { name: 'guest' },
    );
  }
  const severities = (sessions: readonly TrafficSession[]) =>
    new Set(detectionsOf(sessions).map(({ severity }) => severity));

  it('in apps of a carrier, of a home operator, or behind a relay are never above suspected', () => {
    const inApp: SessionPart = { uaClass: 'in_app', browser: 'Facebook', os: 'Android', channel: 'meta_ads' };
    for (const networkType of ['mobile', 'isp', 'relay', 'education'] as const)
      expect([...severities(crowd({ ...inApp, networkType }))].filter((one) => one !== 'suspected')).toEqual([]);
  });

  it('in offices and call centres are never confirmed, not even at night', () => {
    const nightly = crowd({ networkType: 'business' }).map((one) => ({
      ...one,
      startedAt: one.startedAt - 7 * HOUR,
      hour: 2,
      visitor: one.visitor,
    }));
    expect(severities(nightly)).not.toContain('confirmed');
    expect(severities(crowd({ networkType: 'business' }))).toEqual(new Set(['suspected']));
  });

  it('of a home with one busy converter are clean', () => {
    const home = crowd({ networkType: 'isp', host: HOST, distinctPaths: 4, pathSignature: 'walk' }, 60).map(
      (one, index) =>
        session({
          ...one,
          pathSignature: `walk ${index}`,
          endedAt: one.startedAt + 120_000,
          conversions: index % 6 === 0 ? 1 : 0,
        }),
    );
    expect(detectionsOf(home)).toEqual([]);
  });
});
