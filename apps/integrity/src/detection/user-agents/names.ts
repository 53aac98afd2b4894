/** Other names of browsers, by their canonical name; compared in lower case without spaces, hyphens and underscores. */
const BROWSER_SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  Chrome: ['Chrome', 'Google Chrome', 'Chrome Mobile', 'Mobile Chrome', 'Chrome Mobile iOS', 'Chrome iOS', 'Chrome for iOS', 'CriOS', 'Chrome for Android', 'Chrome Android', 'Chrome Desktop', 'Chromium', 'Ubuntu Chromium', 'Chrome OS Browser', 'Chrome Dev', 'Chrome Beta', 'Chrome Canary'],
  Safari: ['Safari', 'Mobile Safari', 'Safari Mobile', 'iOS Safari', 'Safari iOS', 'Apple Safari', 'Safari Technology Preview'],
  Firefox: ['Firefox', 'Mozilla Firefox', 'Firefox Mobile', 'Mobile Firefox', 'Firefox for Android', 'Firefox Android', 'Firefox iOS', 'Firefox for iOS', 'FxiOS', 'Firefox ESR', 'Iceweasel', 'Waterfox', 'LibreWolf', 'Fenix', 'IceCat', 'Pale Moon', 'SeaMonkey', 'Tor Browser'],
  'Firefox Focus': ['Firefox Focus', 'Firefox Klar', 'Focus', 'Klar'],
  Edge: ['Edge', 'Microsoft Edge', 'MS Edge', 'Edge Mobile', 'Mobile Edge', 'Edge Legacy', 'Edge Chromium', 'Edg', 'EdgA', 'EdgiOS', 'Edge WebView', 'Edge WebView2', 'Edge iOS', 'Edge Android'],
  'Internet Explorer': ['Internet Explorer', 'IE', 'MSIE', 'Microsoft Internet Explorer', 'IE Mobile', 'IEMobile', 'Internet Explorer Mobile', 'IE Large Screen'],
  Opera: ['Opera', 'Opera Mobile', 'Opera Mobi', 'Opera Touch', 'Opera GX', 'Opera Neon', 'OPR', 'Opera iOS', 'Opera Android'],
  'Opera Mini': ['Opera Mini', 'Opera Mini iOS', 'OperaMini'],
  'Samsung Internet': ['Samsung Internet', 'Samsung Browser', 'SamsungBrowser', 'Samsung Internet for Android', 'Samsung Internet Browser'],
  'Android Browser': ['Android Browser', 'Android', 'Android WebKit', 'Stock Browser', 'AOSP Browser'],
  WebView: ['WebView', 'Android WebView', 'Chrome WebView', 'Chrome Mobile WebView', 'Mobile Safari UI/WKWebView', 'Mobile Safari UI', 'WKWebView', 'iOS WebView', 'WebKit', 'Apple WebKit', 'Safari View Service', 'SFSafariViewController'],
  'Google App': ['Google App', 'GSA', 'Google Search App', 'Google', 'Google Search'],
  Brave: ['Brave', 'Brave Browser', 'Brave iOS'],
  Vivaldi: ['Vivaldi', 'Vivaldi Mobile'],
  DuckDuckGo: ['DuckDuckGo', 'DuckDuckGo Privacy Browser', 'DuckDuckGo Browser', 'DuckDuckGo Mobile', 'Ddg'],
  Yandex: ['Yandex', 'Yandex Browser', 'YaBrowser', 'Yandex Browser Lite', 'Yandex Mobile', 'YandexSearch'],
  'UC Browser': ['UC Browser', 'UCBrowser', 'UC Browser Mini', 'UCWEB', 'UC Browser HD', 'UC Browser Turbo'],
  'QQ Browser': ['QQ Browser', 'QQBrowser', 'MQQBrowser', 'QQ Browser Mobile', 'QQBrowserLite', 'QQ Browser Lite'],
  'MIUI Browser': ['MIUI Browser', 'MiuiBrowser', 'Mi Browser', 'XiaoMi MiuiBrowser', 'Mint Browser'],
  'Huawei Browser': ['Huawei Browser', 'HuaweiBrowser', 'Huawei Browser Mobile'],
  'Vivo Browser': ['Vivo Browser', 'VivoBrowser'],
  'HeyTap Browser': ['HeyTap Browser', 'HeyTapBrowser', 'Oppo Browser', 'OppoBrowser', 'Realme Browser'],
  Silk: ['Silk', 'Amazon Silk'],
  Whale: ['Whale', 'Naver Whale', 'Whale Browser'],
  'Coc Coc': ['Coc Coc', 'CocCoc', 'Coc_Coc_Browser', 'Coc Coc Browser'],
  Maxthon: ['Maxthon', 'Maxthon Cloud Browser'],
  '360 Browser': ['360 Browser', '360', '360 Secure Browser', '360 Safe Browser', '360SE', '360EE', 'Qihoo 360', '360 Phone Browser'],
  'Sogou Explorer': ['Sogou Explorer', 'Sogou Browser', 'SogouMobileBrowser', 'Sogou Mobile Browser'],
  'Baidu Browser': ['Baidu Browser', 'BaiduBrowser', 'BIDUBrowser', 'baiduboxapp', 'Baidu Box App', 'Baidu'],
  Puffin: ['Puffin', 'Puffin Browser', 'Puffin Web Browser'],
  Ecosia: ['Ecosia', 'Ecosia iOS', 'Ecosia Android', 'Ecosia Browser'],
  Aloha: ['Aloha', 'Aloha Browser', 'AlohaBrowser'],
  Dolphin: ['Dolphin', 'Dolphin Browser'],
  Arc: ['Arc', 'Arc Browser', 'Arc Search'],
  Avast: ['Avast', 'Avast Secure Browser', 'AVG Secure Browser', 'CCleaner Browser', 'Norton Private Browser', 'Norton Browser'],
  Konqueror: ['Konqueror'],
  Falkon: ['Falkon', 'QupZilla'],
  Epiphany: ['Epiphany', 'GNOME Web', 'Gnome Web', 'Web'],
  Midori: ['Midori'],
  Sleipnir: ['Sleipnir'],
  'KaiOS Browser': ['KaiOS Browser', 'KaiOS', 'KAIOS'],
  'Nokia Browser': ['Nokia Browser', 'NokiaBrowser', 'Ovi Browser', 'Nokia OSS Browser'],
  'BlackBerry Browser': ['BlackBerry Browser', 'BlackBerry', 'BlackBerry WebKit', 'BB10'],
  'PlayStation Browser': ['PlayStation Browser', 'NetFront', 'NetFront NX', 'Nintendo Browser'],
  'Oculus Browser': ['Oculus Browser', 'OculusBrowser', 'Meta Quest Browser'],
  'TV Browser': ['TV Browser', 'LG Browser', 'Tizen Browser', 'Web0S Browser', 'TV Bro', 'Espial TV Browser', 'Samsung TV Browser'],
  // Browsers inside other apps.
  Facebook: ['Facebook', 'Facebook Browser', 'Facebook App', 'Facebook Mobile', 'FBAN', 'FBAV', 'Facebook for iOS', 'Facebook for Android', 'Facebook Lite', 'Facebook iOS'],
  Messenger: ['Messenger', 'Facebook Messenger', 'Messenger Lite'],
  Instagram: ['Instagram', 'Instagram App', 'Instagram Mobile', 'Instagram iOS'],
  Threads: ['Threads', 'Barcelona'],
  TikTok: ['TikTok', 'TikTok App', 'BytedanceWebview', 'Musical.ly', 'musical_ly', 'Douyin', 'Trill'],
  Snapchat: ['Snapchat'],
  Twitter: ['Twitter', 'X', 'Twitter App', 'Twitter for iPhone', 'Twitter for Android'],
  LinkedIn: ['LinkedIn', 'LinkedIn App', 'LinkedInApp'],
  Pinterest: ['Pinterest', 'Pinterest App'],
  Reddit: ['Reddit', 'Reddit App'],
  YouTube: ['YouTube', 'YouTube App'],
  WhatsApp: ['WhatsApp'],
  Telegram: ['Telegram'],
  WeChat: ['WeChat', 'MicroMessenger', 'WeChat Browser', 'WeChat Desktop'],
  QQ: ['QQ', 'QQ App'],
  Line: ['Line', 'LINE App'],
  KakaoTalk: ['KakaoTalk', 'KAKAOTALK', 'Kakao', 'Daum'],
  Naver: ['Naver', 'NAVER App', 'Naver In App'],
  Weibo: ['Weibo', 'Sina Weibo'],
  VK: ['VK', 'VKontakte', 'VK App'],
  Alipay: ['Alipay', 'AliApp', 'Taobao'],
  Viber: ['Viber'],
  Gmail: ['Gmail', 'Outlook', 'Apple Mail', 'Yahoo Mail'],
  Discord: ['Discord'],
  Slack: ['Slack', 'Slack Desktop', 'Microsoft Teams', 'Teams'],
}; // prettier-ignore

const IN_APP: ReadonlySet<string> = new Set([
  ...['WebView', 'Google App', 'Facebook', 'Messenger', 'Instagram', 'Threads', 'TikTok', 'Snapchat', 'Twitter'],
  ...['LinkedIn', 'Pinterest', 'Reddit', 'YouTube', 'WhatsApp', 'Telegram', 'WeChat', 'QQ', 'Line', 'KakaoTalk'],
  ...['Naver', 'Weibo', 'VK', 'Alipay', 'Viber', 'Gmail', 'Discord', 'Slack'],
]);

const SYSTEM_SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  Windows: ['Windows', 'Windows NT', 'Microsoft Windows', 'Win', 'Win32', 'Win64', 'Windows Vista', 'Windows XP', 'Windows 7', 'Windows 8', 'Windows 8.1', 'Windows 10', 'Windows 11', 'Windows RT', 'Windows Server'],
  macOS: ['macOS', 'Mac OS X', 'Mac OS', 'Mac', 'OS X', 'OSX', 'Macintosh', 'Darwin', 'Intel Mac OS X', 'MacIntel'],
  iOS: ['iOS', 'iPhone OS', 'iPhone', 'iPad', 'iPod', 'iPadOS', 'iPad OS', 'Apple iOS', 'watchOS', 'visionOS'],
  Android: ['Android', 'Android OS', 'Google Android', 'Android TV', 'Fire OS', 'FireOS', 'HarmonyOS', 'Harmony OS', 'MIUI', 'MIUI OS', 'ColorOS', 'LineageOS', 'EMUI', 'OriginOS'],
  Linux: ['Linux', 'GNU/Linux', 'Linux x86_64', 'Ubuntu', 'Debian', 'Fedora', 'CentOS', 'Red Hat', 'Arch', 'Arch Linux', 'Gentoo', 'Mint', 'Linux Mint', 'SUSE', 'openSUSE', 'Kubuntu', 'X11', 'Unix', 'Raspbian', 'Slackware'],
  'Chrome OS': ['Chrome OS', 'ChromeOS', 'CrOS', 'Chromium OS', 'Chromecast'],
  'Windows Phone': ['Windows Phone', 'Windows Mobile', 'Windows Phone OS', 'Windows CE'],
  FreeBSD: ['FreeBSD', 'OpenBSD', 'NetBSD', 'DragonFly', 'Solaris', 'SunOS', 'BSD'],
  KaiOS: ['KaiOS', 'Firefox OS', 'FirefoxOS'],
  Tizen: ['Tizen', 'Bada', 'webOS', 'Web0S', 'Netcast', 'WebOS TV', 'Roku', 'Roku OS', 'PlayStation', 'Xbox', 'Nintendo', 'tvOS'],
  Symbian: ['Symbian', 'Symbian OS', 'SymbianOS', 'Series40', 'Series 40', 'Nokia Series 40', 'MeeGo', 'J2ME', 'MAUI', 'Brew'],
  BlackBerry: ['BlackBerry', 'BlackBerry OS', 'RIM Tablet OS', 'BB10', 'QNX'],
}; // prettier-ignore

const MOBILE_SYSTEMS: ReadonlySet<string> = new Set([
  'iOS',
  'Android',
  'Windows Phone',
  'KaiOS',
  'Symbian',
  'BlackBerry',
]);

/** Families that run on phones and tablets only; told apart when no system is given. */
const MOBILE_BROWSERS: ReadonlySet<string> = new Set([
  ...['Samsung Internet', 'Android Browser', 'Opera Mini', 'MIUI Browser', 'Huawei Browser', 'Vivo Browser'],
  ...['HeyTap Browser', 'Silk', 'KaiOS Browser', 'Nokia Browser', 'BlackBerry Browser', 'Firefox Focus'],
]);

const browsers = byName(BROWSER_SYNONYMS);
const systems = byName(SYSTEM_SYNONYMS);

/**
 * The family of a parsed browser name in any dialect, versions ignored: `Mobile Safari 17.1` is `Safari`. A name that is
 * not known stays as it is; '' only for a name that is empty, or says that it is unknown.
 */
export function canonicalBrowser(name: string): string {
  return canonical(name, browsers);
}

/** The family of a parsed system name: `Mac OS X` is `macOS`. As `canonicalBrowser`. */
export function canonicalSystem(name: string): string {
  return canonical(name, systems);
}

export function isKnownBrowser(family: string): boolean {
  return Object.hasOwn(BROWSER_SYNONYMS, family);
}

export function isInAppBrowser(family: string): boolean {
  return IN_APP.has(family);
}

export function isMobileSystem(family: string): boolean {
  return MOBILE_SYSTEMS.has(family);
}

export function isMobileBrowser(family: string): boolean {
  return MOBILE_BROWSERS.has(family);
}

function byName(synonyms: Readonly<Record<string, readonly string[]>>): Map<string, string> {
  return new Map(Object.entries(synonyms).flatMap(([family, names]) => names.map((name) => [compact(name), family])));
}

function compact(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '');
}

function canonical(name: string, families: ReadonlyMap<string, string>): string {
  const text = name.trim();
  if (NO_NAME.test(text)) return '';
  const key = compact(text);
  return families.get(key) ?? families.get(key.replace(VERSION, '')) ?? text;
}

const NO_NAME = /^(?:unknown|other|undefined|null|none|n\/a|\(not set\)|-)?$/i;

/** A version behind a name, without the spaces before it. */
const VERSION = /(?:\/|v)?\d+(?:[._]\d+)*[a-z]?$/;
