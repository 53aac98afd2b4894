import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { UaClass } from '../traffic.js';
import { isAutomationName, isBotName } from './bot-names.js';
import { isImpossiblePair } from './impossible-pairs.js';
import { canonicalBrowser, canonicalSystem } from './names.js';
import { uaClass } from './ua-class.js';

const FAMILIES = [
  ...['Chrome', 'Safari', 'Firefox', 'Edge', 'Opera', 'Internet Explorer', 'IE', 'Samsung Internet', 'UC Browser'],
  ...['Chrome Mobile', 'Chrome Mobile iOS', 'Chrome Mobile WebView', 'Mobile Safari', 'Mobile Safari UI/WKWebView'],
  ...['Firefox Mobile', 'Firefox iOS', 'Firefox Focus', 'Edge Mobile', 'Opera Mobile', 'Opera Mini', 'Opera Touch'],
  ...['Android Browser', 'Android', 'Android WebView', 'Chromium', 'Brave', 'Vivaldi', 'DuckDuckGo', 'Yandex Browser'],
  ...['QQ Browser', 'MIUI Browser', 'Huawei Browser', 'Amazon Silk', 'Whale', 'Coc_Coc_Browser', 'Maxthon', 'Puffin'],
  ...['Facebook', 'Instagram', 'TikTok', 'Snapchat', 'LinkedIn', 'Pinterest', 'WeChat', 'Line', 'KakaoTalk', 'GSA'],
  ...['WhatsApp', 'Telegram', 'Twitter', 'X', 'Konqueror', 'Epiphany', 'Midori', 'Ecosia', 'Avast Secure Browser'],
  ...['Baidu Browser', 'baiduboxapp', 'Sogou Explorer', '360 Browser', 'Seznam Prohlížeč', 'Cubot', 'Cubot Browser'],
];

const BOTS = [
  ...['Googlebot', 'Googlebot-Image', 'AdsBot-Google', 'bingbot', 'msnbot', 'YandexBot', 'Baiduspider', 'DuckDuckBot'],
  ...['Applebot', 'facebookexternalhit', 'meta-externalagent', 'Twitterbot', 'LinkedInBot', 'Slackbot', 'Discordbot'],
  ...['AhrefsBot', 'SemrushBot', 'MJ12bot', 'DotBot', 'PetalBot', 'Bytespider', 'GPTBot', 'ClaudeBot', 'PerplexityBot'],
  ...['CCBot', 'Amazonbot', 'Yahoo! Slurp', 'ia_archiver', 'UptimeRobot', 'Pingdom', 'Chrome-Lighthouse', 'Bot'],
  ...[
    'Yeti',
    'Barkrowler',
    'AppEngine-Google',
    'BingPreview',
    'Google Favicon',
    'Feedly',
    'archive.org_bot',
    'Diffbot',
    'Sogou web spider',
    'Exabot',
    'Qwantify crawler',
    'Mediapartners-Google',
    'FeedFetcher-Google',
    'Storebot-Google',
  ],
];

const PROGRAMS = [
  ...['HeadlessChrome', 'Chrome Headless', 'Headless Chrome', 'PhantomJS', 'Puppeteer', 'Playwright', 'Selenium'],
  ...['curl', 'Wget', 'Python Requests', 'python-requests', 'Python-urllib', 'aiohttp', 'Go-http-client', 'okhttp'],
  ...['Java', 'Apache-HttpClient', 'axios', 'node-fetch', 'Scrapy', 'PHP', 'Ruby', 'libwww-perl', 'PostmanRuntime'],
];

describe('user agents', () => {
  it.each(FAMILIES)('takes %p for a browser', (family) => {
    expect(['in_app', 'mobile', 'desktop', 'unknown']).toContain(uaClass(family, 'Android'));
    expect(['in_app', 'mobile', 'desktop', 'unknown']).toContain(uaClass(`${family} 121.0`, ''));
  });

  it.each(BOTS)('takes %p for a bot', (name) => {
    expect(uaClass(name, '')).toBe('bot');
    expect(uaClass(name.toLowerCase(), 'Linux')).toBe('bot');
  });

  it.each(PROGRAMS)('takes %p for a program', (name) => {
    expect(uaClass(name, 'Linux')).toBe('automation');
  });

  it.each<[string, string, UaClass]>([
    ['Chrome', 'Windows', 'desktop'],
    ['Chrome', 'Android', 'mobile'],
    ['Chrome Mobile', '', 'mobile'],
    ['Safari', 'iPadOS', 'mobile'],
    ['Safari', 'Mac OS X', 'desktop'],
    ['Facebook', 'iOS', 'in_app'],
    ['Chrome WebView', 'Android', 'in_app'],
    ['Some Browser', 'Windows', 'desktop'],
    ['Some Browser', '', 'unknown'],
    ['', 'Windows', 'unknown'],
    ['Other', 'Other', 'unknown'],
  ])('puts %p on %p into class %p', (browser, os, expected) => {
    expect(uaClass(browser, os)).toBe(expected);
  });

  it.each([
    ['Mobile Safari', 'Safari'],
    ['mobile_safari 17.2.1', 'Safari'],
    ['Chrome/120.0.6099.109', 'Chrome'],
    ['Chrome Mobile iOS', 'Chrome'],
    ['MSIE 8.0', 'Internet Explorer'],
    ['SamsungBrowser', 'Samsung Internet'],
    ['360', '360 Browser'],
    ['HeadlessChrome', 'HeadlessChrome'],
    ['(not set)', ''],
    [' unknown ', ''],
    ['Seznam Prohlížeč', 'Seznam Prohlížeč'],
  ])('reads the browser %p as %p', (name, family) => {
    expect(canonicalBrowser(name)).toBe(family);
  });

  it.each([
    ['Mac OS X', 'macOS'],
    ['Mac OS X 10.15.7', 'macOS'],
    ['Windows 11', 'Windows'],
    ['windows-nt', 'Windows'],
    ['iPhone OS', 'iOS'],
    ['Ubuntu', 'Linux'],
    ['Plan 9', 'Plan 9'],
    ['-', ''],
  ])('reads the system %p as %p', (name, family) => {
    expect(canonicalSystem(name)).toBe(family);
  });

  it('finds no usual pair impossible in any dialect', () => {
    for (const [browser, os] of [
      ['Mobile Safari', 'iOS'],
      ['Safari', 'Mac OS X'],
      ['Samsung Browser', 'Android OS'],
      ['IE', 'Windows 7'],
      ['IE Mobile', 'Windows Phone'],
      ['Chrome', 'Linux'],
    ] as const)
      expect(isImpossiblePair(canonicalBrowser(browser), canonicalSystem(os))).toBe(false);
    expect(isImpossiblePair(canonicalBrowser('Apple Safari'), canonicalSystem('Windows 10'))).toBe(true);
  });
});

/** Full user agents that say what they are, by words of the log's time; written down apart from the pattern under test. */
const SAYS_SO =
  /bot\b|bots?[/;+.\s-]|crawler|spider|slurp|feedfetcher|feedburner|feedparser|feedbin|feedly|rss|archive|externalhit|preview|python|curl|wget|libwww|ezooms|siteexplorer|link validator|monitoring|embedly|exabot/i;
const BROWSER = /^(?:Mozilla\/[45]\.0 \((?:Windows|Macintosh|X11|iPhone|iPad|Linux|compatible; MSIE)[^()]*\)|Opera\/)/;

/** Proxies and previews behind the name of a browser. */
const NAMES_SERVICE = /https?:|@|google|spider|bing|tab\.search/i;

const log = userAgentsOfLog();

(log === undefined ? describe.skip : describe)('full user agents of a public web log', () => {
  const agents = log ?? [];
  const isBot = (agent: string): boolean => isBotName(agent) || isAutomationName(agent);

  it('has at least 99% of the bots that say so', () => {
    const bots = agents.filter((agent) => SAYS_SO.test(agent));
    expect(bots.length).toBeGreaterThan(2_000);
    expect(bots.filter(isBot).length / bots.length).toBeGreaterThanOrEqual(0.99);
  });

  it('has no browser among them', () => {
    const browsers = agents.filter(
      (agent) => BROWSER.test(agent) && !SAYS_SO.test(agent) && !NAMES_SERVICE.test(agent),
    );
    expect(browsers.length).toBeGreaterThan(5_000);
    expect(browsers.filter(isBot)).toEqual([]);
  });
});

function userAgentsOfLog(): string[] | undefined {
  const path = resolve('../shared/data/integrity/elastic-apache_logs-10k.log.gz');
  if (existsSync(path)) {
    const lines = gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n');
    return lines.map((line) => line.split('"')[5] ?? '');
  }
  process.stderr.write('skipped: there is no ../shared/data/integrity/elastic-apache_logs-10k.log.gz\n');
  return undefined;
}
