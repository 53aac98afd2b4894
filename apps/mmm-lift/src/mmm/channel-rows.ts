import type { MixChannel } from '#contracts/modeling/mix-run.js';
import { doubts } from './identified.js';
import { estimate, type ChannelPosterior } from './channel-posterior.js';
import type { Collinearity } from './collinearity.js';
import type { MixInput, MixInputChannel } from './mix-input.js';
import { gather, variation, type Problem } from './problem.js';

/** A contribution below this part of the target has no cost per outcome. */
const LEAST_SHARE = 1e-6;

/** The table of channels: by contribution, the largest first, then by name; those of constant spend last. */
export function channelRows(
  input: MixInput,
  problem: Problem,
  posteriors: readonly ChannelPosterior[],
  rhats: readonly number[],
  { partners }: Collinearity,
): MixChannel[] {
  const { channels, likelihood } = problem;
  const fitted = posteriors.map((posterior, c): MixChannel => {
    const channel = channels[c];
    if (channel === undefined) throw new RangeError('There are more posteriors than channels.');
    const spend = gather(channel.input.spend, likelihood);
    const reasons = doubts({
      shares: posterior.shares.slice().sort(),
      pEffect: posterior.pEffect,
      rhat: rhats[c] ?? Infinity,
      activeWeeks: spend.filter((value) => value > 0).length,
      variation: variation(spend),
      partners: (partners[c] ?? []).map((partner) => channels[partner]?.input.name ?? ''),
      n: likelihood.length,
    });
    const { name, family } = channel.input;
    return { channel: name, family, identified: reasons.length === 0, ...money(input, problem, c, posterior), reasons };
  });
  const constant = problem.constant.map((channel) => constantRow(channel, likelihood));
  return [...fitted.sort(byContribution), ...constant.sort(byName)];
}

type Money = Omit<MixChannel, 'channel' | 'family' | 'identified' | 'reasons'>;

function money(input: MixInput, problem: Problem, c: number, posterior: ChannelPosterior): Money {
  const total = problem.meanTarget * problem.likelihood.length;
  const spend = problem.channels[c]?.spend ?? 0;
  const share = estimate(posterior.shares);
  const marginal = estimate(posterior.marginalShares());
  const value = input.isCount ? input.conversionValue : 1;
  const perShare = value === null ? null : (total * value) / spend;
  const scaled = (part: number): number | null => (perShare === null ? null : part * perShare);
  return {
    contribution: share.mean * total,
    contribution_share: share.mean,
    contribution_share_lo: share.low,
    contribution_share_hi: share.high,
    spend,
    roi: scaled(share.mean),
    roi_lo: scaled(share.low),
    roi_hi: scaled(share.high),
    mroi: scaled(marginal.mean),
    mroi_lo: scaled(marginal.low),
    mroi_hi: scaled(marginal.high),
    cpa: costPerOutcome(input, spend, share.mean, total),
  };
}

function costPerOutcome(input: MixInput, spend: number, share: number, total: number): number | null {
  if (share < LEAST_SHARE) return null;
  const perOutcome = input.isCount ? 1 : input.averageOrderValue;
  return perOutcome === null || perOutcome <= 0 ? null : spend / ((share * total) / perOutcome);
}

function constantRow({ name, family, spend }: MixInputChannel, likelihood: Int32Array): MixChannel {
  return {
    channel: name,
    family,
    identified: false,
    contribution: null,
    contribution_share: null,
    contribution_share_lo: null,
    contribution_share_hi: null,
    spend: gather(spend, likelihood).reduce((sum, week) => sum + week, 0),
    roi: null,
    roi_lo: null,
    roi_hi: null,
    mroi: null,
    mroi_lo: null,
    mroi_hi: null,
    cpa: null,
    reasons: ['constant_spend'],
  };
}

function byContribution(a: MixChannel, b: MixChannel): number {
  return (b.contribution ?? 0) - (a.contribution ?? 0) || byName(a, b);
}

function byName(a: MixChannel, b: MixChannel): number {
  return a.channel < b.channel ? -1 : a.channel > b.channel ? 1 : 0;
}
