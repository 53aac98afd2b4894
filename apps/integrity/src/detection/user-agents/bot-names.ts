/**
 * What calls itself a bot: crawlers, previews, monitors, readers of feeds, libraries that fetch. Works for parsed family
 * names and for full user agents alike; the phone maker Cubot is none.
 */
const BOT = new RegExp(
  [
    '(?<!cu)bots?\\b|(?<!cu)bot[^a-z]|robot(?!ics)|bot_|(?<!cu)bots?$|crawl|spider|slurp|scrap(?:er|y)|archiver|archive\\.org',
    'externalhit|externalagent|externalfetcher|facebookcatalog|facebookplatform|fetcher|\\bfetch\\b|libfetch',
    'mediapartners|adsbot|google-(?:inspection|read|safety|extended|site|structured)|googleother|apis-google|feedburner',
    'google (?:web preview|page speed|favicon|desktop|inspection)|bingpreview|yahoo! |yandex(?:images|direct|metrika|media)',
    'duckassist|chatgpt|gptbot|oai-search|claude-?(?:bot|web|user|search)|anthropic|perplexity|cohere|bytespider|meta-external',
    'embedly|flipboard|linkexpand|quora link|whatsapp\\/|snap url preview|skypeuri|vkshare|outbrain|tumblr\\/|w3c_|validator',
    'uptime|pingdom|statuscake|site24x7|newrelicpinger|datadog|nagios|zabbix|monit(?:or|\\/)|check_http|checker|catchpoint',
    'gtmetrix|lighthouse|page ?speed|ptst|webpagetest|dareboost|ahrefs|semrush|majestic|mj12|ezooms|siteexplorer|screaming frog',
    'feed(?:ly|bin|er|parser|press|wrangler|validator|reader|demon|spot)|\\brss\\b|rssreader|simplepie|liferea|newsblur|inoreader',
    'netvibes|bloglovin|theoldreader|livejournal\\.com|tiny tiny|newsify|reeder|podcast|itunes\\/|subscribers',
    'nutch|heritrix|httrack|xenu|larbin|teleport|webcopier|offline explorer|sitesucker|ia_archiver|genieo|daum(?:oa)?\\/',
    'masscan|zgrab|nmap|nikto|sqlmap|nessus|qualys|acunetix|netcraft|censys|expanse|shodan|internet-?measurement|ltx71|scanner',
    '\\byeti\\b|barkrowler|bubing|proximic|admantx|trendiction|teoma|iframely|nimbostratus|appengine|omgili|seokicks|favicon',
    'distilator|portscout|binlar|chef client|puppet\\/|superblock|dts agent|changedetection|wordpress\\/|pubsubhubbub|webhook',
    '\\+https?:|; ?https?:|\\(https?:|@[a-z0-9.-]+\\.[a-z]{2,}',
  ].join('|'),
  'i',
);

/** Browsers that a program drives, and the libraries of programmers. */
const AUTOMATION = new RegExp(
  [
    'headless|phantom|puppeteer|playwright|selenium|webdriver|chromedriver|geckodriver|cypress|nightmare|slimerjs|casperjs',
    'zombie|htmlunit|testcafe|splash|browserless|electron\\/|jsdom|automation|appium|cefsharp',
    '\\bcurl\\b|\\bwget\\b|python|urllib|aiohttp|\\bhttpx\\b|requests\\b|\\bjava\\b|okhttp|go[- ]http|golang|libwww|lwp|perl\\b',
    '\\bruby\\b|faraday|\\bphp\\b|guzzle|axios|node[- ]?(?:fetch|js)|node\\.js|undici|\\bgot\\b|superagent|postman|insomnia|apache-?http',
    'http[-_ ]?(?:client|request|rb|unit|ie)|httpie|winhttp|powershell|dart(?:\\/|:io| )|rest-?client|restsharp|unirest|jakarta',
    '\\bdeno\\b|\\bbun\\/|scrapy|mechanize|colly|typhoeus|reqwest|hyper\\/|libcurl|cpp-?httplib|alamofire|urlsession|cfnetwork',
  ].join('|'),
  'i',
);

/** Whether a name or user agent says that it is a bot. */
export function isBotName(name: string): boolean {
  return BOT.test(name);
}

/** Whether a name or user agent is that of a browser without a person before it, or of a programmer's library. */
export function isAutomationName(name: string): boolean {
  return AUTOMATION.test(name);
}
