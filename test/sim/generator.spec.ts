import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEvent } from '#contracts/collect/event-record.js';
import { eventsOf } from './events-of.js';
import { trafficOf } from './runs.js';
import { DEVELOPMENT_PROFILES, simulate, type Scenario } from './scenario.js';
import { HELD_OUT_PROFILES } from './held-out/held-out-profiles.js';
import { isBotGroup, type Profile } from './profiles/profile.js';
import { writeFiles } from './write-files.js';

const SMALL: Scenario = { seed: 3, mix: 'hard', days: 3, people: 0.2, bots: 0.3 };
const digest = (scenario: Scenario): string =>
  createHash('sha256')
    .update(JSON.stringify(simulate(scenario).events))
    .digest('hex');

describe('the traffic simulator', () => {
  it('gives the same events for the same seed, and others for another one', () => {
    expect(digest({ ...SMALL })).toBe(digest(SMALL));
    expect(digest({ ...SMALL, seed: 4 })).not.toBe(digest(SMALL));
    expect(digest({ ...SMALL, heldOut: true })).not.toBe(digest(SMALL));
  });

  it('has at least 24 profiles to develop with and 24 others, people and bots, no two of one name', () => {
    for (const profiles of [DEVELOPMENT_PROFILES, HELD_OUT_PROFILES]) {
      expect(profiles.length).toBeGreaterThanOrEqual(24);
      const bots = profiles.filter(({ group }) => isBotGroup(group));
      expect(bots.length).toBeGreaterThanOrEqual(10);
      expect(profiles.length - bots.length).toBeGreaterThanOrEqual(10);
    }
    const names = (profiles: readonly Profile[]): string[] => profiles.map(({ name }) => name);
    const all = [...names(DEVELOPMENT_PROFILES), ...names(HELD_OUT_PROFILES)];
    expect(new Set(all).size).toBe(all.length);
  });

  describe.each([false, true])('held out: %p', (heldOut) => {
    let traffic: ReturnType<typeof trafficOf>;

    beforeAll(() => {
      traffic = trafficOf({ ...SMALL, heldOut, until: '2026-09-20' });
    });

    it('collects nothing that the service would refuse, in order of time, on the days of its range, no id twice', () => {
      const { events, firstDay, lastDay } = traffic.traffic;
      const now = new Date('2026-09-22T00:00:00Z');
      const checked = events.map((event) => readEvent(event, now));
      expect(checked.filter((one) => 'issue' in one || one.ipDropped)).toEqual([]);
      expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
      const times = events.map(({ event_time }) => event_time);
      expect(times).toEqual([...times].sort());
      const days = new Set(traffic.sessions.map(({ day }) => day));
      expect([Math.min(...days), Math.max(...days)]).toEqual([firstDay, lastDay]);
    });

    it('knows who was behind every session, and has people and bots of most profiles', () => {
      const { actors } = traffic.traffic;
      const profiles = new Set(traffic.sessions.map(({ visitor }) => actors.get(visitor)?.profile));
      expect(profiles.has(undefined)).toBe(false);
      expect(profiles.size).toBeGreaterThan(0.6 * (heldOut ? HELD_OUT_PROFILES : DEVELOPMENT_PROFILES).length);
      const bots = traffic.sessions.filter(({ visitor }) => actors.get(visitor)?.isBot);
      expect(bots.length).toBeGreaterThan(0.05 * traffic.sessions.length);
      expect(bots.length).toBeLessThan(0.7 * traffic.sessions.length);
    });

    it('uses addresses that are announced, and never a reserved one', () => {
      const types = new Map<string, number>();
      for (const { networkType } of traffic.sessions) types.set(networkType, (types.get(networkType) ?? 0) + 1);
      expect(types.has('reserved')).toBe(false);
      expect((types.get('unknown') ?? 0) / traffic.sessions.length).toBeLessThan(0.05);
      for (const type of ['isp', 'mobile', 'hosting', 'business']) expect(types.get(type)).toBeGreaterThan(20);
    });
  });

  it('writes events and truth as files', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'tallyport-sim-'));
    const { traffic, sessions } = trafficOf(SMALL);
    await writeFiles(directory, traffic, sessions);
    const [events, truth] = ['raw-events.csv', 'truth.csv'].map((name) =>
      readFileSync(join(directory, name), 'utf8').trimEnd().split('\n'),
    );
    rmSync(directory, { recursive: true });
    expect(events![0]!.split(',')).toHaveLength(16);
    expect(events).toHaveLength(traffic.events.length + 1);
    expect(truth![0]).toBe('network,host,session,profile,is_bot');
    expect(truth).toHaveLength(sessions.length + 1);
    expect(truth!.filter((line) => line.endsWith(',true')).length).toBeGreaterThan(10);
  });

  it('tells for every event with an address who was behind it', () => {
    const { events, visits } = eventsOf(SMALL);
    expect(visits.reduce((sum, one) => sum + one.events, 0)).toBe(events.filter(({ ip }) => ip != null).length);
    expect(new Set(visits.map(({ actor }) => actor.isBot))).toEqual(new Set([true, false]));
  });
});
