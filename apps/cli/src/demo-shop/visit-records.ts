import { v7 as uuidv7 } from 'uuid';
import { CHECKOUT_HOST, landingPage, nextPage, productPage, SHOP_HOST, type Page, type Product } from './catalog.js';
import { Random } from './random.js';
import type { DayRecords, ShopEvent } from './records.js';
import type { Visit } from './visits.js';
import { consentOf } from './visit-consent.js';
import { identityOf } from './visit-identity.js';

const FREE_SHIPPING = 60;
const SHIPPING = 4.9;
/** A session ends after 30 minutes without an event. */
const LONGEST_PAUSE_MS = 20 * 60_000;
const MEAN_PAUSE_MS = 38_000;

/** What is collected of one visit, appended to the day's lists. */
export function recordVisit(visit: Visit, seed: number, currency: string, into: Omit<DayRecords, 'day'>): void {
  const random = new Random(seed, ...visit.person.keys, visit.index);
  const browsing = new Browsing(visit, random, currency);
  if (visit.outcome.kind === 'refund') browsing.refund(visit.outcome.order);
  else browsing.browse();
  into.events.push(...browsing.events);
  const consent = consentOf(visit, random);
  if (consent !== undefined) into.consents.push(consent);
  const identity = identityOf(visit);
  if (identity !== undefined) into.identities.push(identity);
}

/** The events of a visit, in the order in which they happen. */
class Browsing {
  readonly events: ShopEvent[] = [];
  private atMs: number;
  private readonly known: Partial<ShopEvent>;

  constructor(
    private readonly visit: Visit,
    private readonly random: Random,
    private readonly currency: string,
  ) {
    this.atMs = visit.startMs;
    this.known = knownOf(visit, random);
  }

  browse(): void {
    const { random, visit } = this;
    this.view(landingPage(random, visit.touch.type));
    const { outcome } = visit;
    if (outcome.kind === 'bounce') {
      if (random.chance(0.2)) this.custom('scroll_depth');
      return;
    }
    const pages = 1 + Math.min(14, Math.floor(random.exponential(outcome.kind === 'browse' ? 3.1 : 3.8)));
    for (let page = 0; page < pages; page++) this.browsePage(nextPage(random));
    if (outcome.kind === 'signup') this.add('conversion', { event_name: 'newsletter_signup' });
    if (outcome.kind === 'cart') this.fillCart([productPage(random)]);
    if (outcome.kind === 'purchase') this.buy(outcome.order);
  }

  refund(order: readonly Product[]): void {
    this.add('custom', { event_name: 'refund', value: `-${totalOf(order)}`, currency: this.currency });
  }

  private browsePage(page: Page): void {
    const { random } = this;
    if (random.chance(0.45)) this.add('click', { event_name: random.pick(['teaser', 'menu', 'image', 'filter']) });
    this.view(page);
    if (page.path.startsWith('/search')) this.custom('search');
    else if (page.product !== undefined && random.chance(0.08)) this.custom('add_to_wishlist');
    else if (random.chance(0.04)) this.custom('video_play');
  }

  private fillCart(pages: readonly Page[]): void {
    for (const page of pages) {
      this.view(page);
      this.custom('add_to_cart');
    }
    this.view({ host: SHOP_HOST, path: '/cart' });
  }

  private buy(order: readonly Product[]): void {
    this.fillCart(order.map((product) => ({ host: SHOP_HOST, path: product.path, product })));
    this.custom('begin_checkout');
    this.view({ host: CHECKOUT_HOST, path: '/address' });
    this.view({ host: CHECKOUT_HOST, path: '/payment' });
    this.add('conversion', { event_name: 'purchase', value: totalOf(order), currency: this.currency });
    this.view({ host: CHECKOUT_HOST, path: '/thank-you' });
  }

  private view({ host, path }: Page): void {
    this.known.page_host = host;
    this.known.page_path = path;
    this.add('page_view', {});
  }

  private custom(name: string): void {
    this.add('custom', { event_name: name });
  }

  private add(type: string, more: Partial<ShopEvent>): void {
    const { visit, random } = this;
    const { login } = visit;
    this.events.push({
      event_id: uuidv7({ msecs: this.atMs, random: random.bytes(16) }),
      event_time: new Date(this.atMs).toISOString(),
      event_type: type,
      distinct_id: visit.device.distinctId,
      ...(login !== undefined && this.atMs >= login.atMs ? { global_user_id: login.account.globalUserId } : {}),
      ...this.known,
      ...more,
    });
    this.atMs += Math.floor(500 + Math.min(LONGEST_PAUSE_MS, random.exponential(MEAN_PAUSE_MS)));
  }
}

/** What stands in every event of a visit; a refund comes from a system that knows nothing of browsers and ads. */
function knownOf(visit: Visit, random: Random): Partial<ShopEvent> {
  if (visit.outcome.kind === 'refund') return {};
  const { device, first, touch, anonymous, person } = visit;
  const address = device.address(random);
  return {
    ft_channel: first.channel,
    ft_source: first.source,
    lt_channel: touch.channel,
    lt_channel_type: touch.type,
    lt_source: touch.source,
    lt_medium: touch.medium,
    ...(touch.campaign === undefined ? {} : { lt_campaign: touch.campaign }),
    geo_country: person.place.country,
    ...(anonymous ? {} : { ip: address, geo_region: person.place.region, geo_city: person.place.city }),
    ua_browser: device.browser,
    ua_os: device.os,
  };
}

function totalOf(order: readonly Product[]): string {
  const goods = order.reduce((sum, { price }) => sum + price, 0);
  return (goods < FREE_SHIPPING ? goods + SHIPPING : goods).toFixed(2);
}
