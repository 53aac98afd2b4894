export const CHANNEL_FAMILIES = [
  'search', 'shopping', 'social', 'video', 'display', 'programmatic', 'native', 'affiliate', 'email', 'retail_media', 'ctv', 'audio', 'print', 'ooh', 'direct_mail', 'app', 'tv', 'radio', 'podcast', 'sms', 'push', 'influencer', 'sponsorship', 'other',
] as const;
export type ChannelFamily = (typeof CHANNEL_FAMILIES)[number];

/** Known platforms by family: each inner list is one platform, its first name the canonical one, the rest synonyms. */
export const PLATFORMS: Record<Exclude<ChannelFamily, 'other'>, readonly (readonly string[])[]> = {
  search: [
    ['google ads', 'google', 'adwords', 'google adwords'],
    ['bing ads', 'bing', 'microsoft ads', 'microsoft advertising'],
    ['apple search ads'],
    ['yandex direct', 'yandex'],
    ['baidu'],
    ['naver'],
    ['paid search', 'sem', 'ppc', 'search', 'search ads'],
    ['performance max', 'pmax'],
  ],
  shopping: [['google shopping'], ['merchant center'], ['pla'], ['shopping']],
  social: [
    ['meta ads', 'meta', 'facebook', 'facebook ads', 'fb'],
    ['instagram', 'ig'],
    ['linkedin', 'linkedin ads'],
    ['tiktok', 'tiktok ads'],
    ['snapchat', 'snap'],
    ['pinterest'],
    ['reddit'],
    ['twitter', 'x', 'x ads'],
    ['vk'],
    ['threads'],
    ['quora'],
    ['paid social', 'social', 'social media'],
  ],
  video: [['youtube', 'yt', 'youtube ads'], ['vimeo'], ['twitch'], ['video'], ['online video']],
  display: [['google display', 'gdn'], ['display', 'banner', 'display ads'], ['criteo'], ['adroll'], ['retargeting']],
  programmatic: [['dv360'], ['the trade desk', 'ttd'], ['programmatic']],
  native: [['taboola'], ['outbrain'], ['native']],
  affiliate: [['awin'], ['cj'], ['rakuten'], ['impact'], ['partnerize'], ['tradedoubler'], ['affiliate', 'affiliates']],
  email: [['email', 'newsletter'], ['mailchimp'], ['klaviyo'], ['brevo']],
  retail_media: [['amazon ads'], ['walmart connect'], ['instacart'], ['retail media']],
  ctv: [['ctv', 'ott'], ['hulu'], ['roku']],
  audio: [['audio'], ['spotify'], ['pandora']],
  print: [['print', 'newspaper', 'magazine']],
  ooh: [['ooh', 'dooh', 'billboard', 'outdoor']],
  direct_mail: [['direct mail', 'dm', 'catalog']],
  app: [['app', 'app install']],
  tv: [['tv', 'linear tv']],
  radio: [['radio']],
  podcast: [['podcast']],
  sms: [['sms']],
  push: [['push']],
  influencer: [['influencer']],
  sponsorship: [['sponsorship']],
};

/** Names too common as plain words to be recognised inside a longer name; so is any of one or two letters but `tv`. */
export const ONLY_AS_WHOLE_NAME: ReadonlySet<string> = new Set(['impact', 'threads', 'snap']);
