import type { Random } from '#apps/cli/src/demo-shop/random.js';

export interface Channel {
  /** As the collector writes it. */
  name: string;
  type: string;
  source: string;
  paid: boolean;
  /** Of the visits of people. */
  share: number;
  bounce: number;
  landings: readonly string[];
  /** Average price of a click; 0 when unpaid. */
  clickPrice: number;
}

export interface SiteOptions {
  tracksConversions: boolean;
}

interface ChannelForm {
  slug: string;
  spelled: string;
  type: string;
  source: string;
  paid: boolean;
  share: [number, number];
  bounce: [number, number];
  clickPrice: number;
}

const FORMS: readonly ChannelForm[] = [
  { slug: 'google_ads', spelled: 'Google Ads', type: 'paid_search', source: 'google', paid: true, share: [18, 34], bounce: [0.33, 0.52], clickPrice: 1.1 },
  { slug: 'meta_ads', spelled: 'Meta Ads', type: 'paid_social', source: 'facebook', paid: true, share: [10, 26], bounce: [0.45, 0.7], clickPrice: 0.6 },
  { slug: 'bing_ads', spelled: 'Bing Ads', type: 'paid_search', source: 'bing', paid: true, share: [2, 8], bounce: [0.35, 0.55], clickPrice: 0.8 },
  { slug: 'organic', spelled: 'Organic Search', type: 'organic', source: 'google', paid: false, share: [18, 30], bounce: [0.4, 0.6], clickPrice: 0 },
  { slug: 'direct', spelled: 'Direct', type: 'direct', source: '(direct)', paid: false, share: [10, 22], bounce: [0.3, 0.5], clickPrice: 0 },
  { slug: 'email', spelled: 'Email', type: 'email', source: 'newsletter', paid: false, share: [2, 8], bounce: [0.3, 0.5], clickPrice: 0 },
  { slug: 'newsletter', spelled: 'Newsletter', type: 'email', source: 'newsletter', paid: false, share: [1, 4], bounce: [0.3, 0.5], clickPrice: 0 },
]; // prettier-ignore

export type ChannelSlug = 'google_ads' | 'meta_ads' | 'bing_ads' | 'organic' | 'direct' | 'email' | 'newsletter';

/** A shop or a service that sells on its pages: what they are and how people usually behave there. */
export class Site {
  readonly host = 'shop.example.com';
  readonly tracksConversions: boolean;
  readonly channels: readonly Channel[];
  readonly products: readonly string[];
  readonly categories: readonly string[];
  /** Part of visits. */
  readonly conversionRate: number;
  /** Seconds on a page; the median. */
  readonly dwellS: number;
  /** Mean of further pages of a visit that does not bounce. */
  readonly depth: number;
  /** Part of pages on which something is clicked and collected; 0 where only page views are. */
  readonly interaction: number;
  /** Part of people whose address is not collected. */
  readonly anonymous: number;
  /** Part of people whose browser has no name. */
  readonly unnamed: number;
  private readonly bySlug: ReadonlyMap<string, Channel>;

  constructor(random: Random, { tracksConversions }: SiteOptions) {
    const between = (low: number, high: number): number => low + random.unit() * (high - low);
    const bounce = between(0.8, 1.2);
    const spelled = random.chance(0.5);
    // Some buy nearly all their visitors.
    const unpaid = random.chance(0.16) ? between(0.05, 0.3) : 1;
    this.tracksConversions = tracksConversions;
    this.products = Array.from({ length: random.whole(40, 400) }, (_, number) => `/p/${number + 1}`);
    this.categories = Array.from({ length: random.whole(5, 24) }, (_, number) => `/c/${number + 1}`);
    this.conversionRate = between(0.008, 0.045);
    this.dwellS = between(14, 40);
    this.depth = between(1.8, 4);
    this.interaction = random.chance(0.3) ? 0 : between(0.1, 0.45);
    this.anonymous = random.chance(0.4) ? between(0.02, 0.12) : 0;
    this.unnamed = between(0, 0.03);
    this.channels = FORMS.map((form) => ({
      name: spelled ? form.spelled : form.slug,
      type: form.type,
      source: form.source,
      paid: form.paid,
      share: between(...form.share) * (form.paid ? 1 : unpaid),
      bounce: Math.min(0.85, bounce * between(...form.bounce)),
      landings: form.paid ? this.paidLandings(random) : ['/', ...this.categories.slice(0, random.whole(1, 4))],
      clickPrice: form.clickPrice,
    }));
    this.bySlug = new Map(this.channels.map((channel, index) => [FORMS[index]?.slug ?? '', channel]));
  }

  channel(slug: ChannelSlug): Channel {
    const channel = this.bySlug.get(slug);
    if (channel === undefined) throw new Error(`there is no channel ${slug}`);
    return channel;
  }

  anyPage(random: Random): string {
    return random.chance(0.65) ? random.pick(this.products) : random.pick(this.categories);
  }

  private paidLandings(random: Random): string[] {
    const pages = Array.from(
      { length: random.whole(1, 5) },
      (_, number) => `/lp/${random.whole(10, 99)}-${number + 1}`,
    );
    return random.chance(0.5) ? [...pages, random.pick(this.products)] : pages;
  }
}
