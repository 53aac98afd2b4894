import { IMPOSSIBLE_DEVICES } from '../devices.js';
import { HOURS } from '../world.js';
import { click, crawl, every, leave, script } from './clicker.js';
import { around, between, howMany, type Profile } from './profile.js';

const DAY_MS = 86_400_000;

const declaredCrawlers: Profile = {
  name: 'declared_crawlers',
  group: 'crude_bots',
  act(world, random, actor, volume) {
    const names = ['Googlebot', 'bingbot', 'AhrefsBot', 'SemrushBot', 'GPTBot', 'YandexBot', 'facebookexternalhit'];
    for (let count = howMany(random, 3, volume); count > 0; count--) {
      click(world, random, actor, {
        network: world.networks.next('hoster'),
        host: () => random.whole(0, 9),
        times: world.times(random, between(random, 4, 14), HOURS.flat),
        channel: 'direct',
        device: { browser: random.pick(names), os: 'Linux' },
        visitsPerId: 1,
        steps: () => crawl(random, world, random.whole(1, 12)),
      });
    }
  },
};

const headlessScrapers: Profile = {
  name: 'headless_scrapers',
  group: 'crude_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 2, volume); count > 0; count--) {
      click(world, random, actor, {
        network: world.networks.next('hoster'),
        host: () => random.whole(0, 2),
        times: world.times(random, between(random, 5, 12), HOURS.flat),
        channel: (one) => world.anyChannel(one, { paid: one.chance(0.5) }),
        device: { browser: random.pick(['HeadlessChrome', 'PhantomJS', 'Python Requests', 'Puppeteer']), os: 'Linux' },
        visitsPerId: 1,
        steps: () => crawl(random, world, random.whole(2, 6)),
      });
    }
  },
};

const hosterFlood: Profile = {
  name: 'hoster_click_flood',
  group: 'crude_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 4, volume); count > 0; count--) {
      const network = world.networks.next('hoster');
      const hosts = random.whole(1, 4);
      const channel = random.chance(0.7) ? 'google_ads' : 'meta_ads';
      click(world, random, actor, {
        network,
        host: () => random.whole(0, hosts - 1),
        times: world.times(random, between(random, 15, 45), HOURS.flat),
        channel,
        device: world.devices.named({ browser: 'Chrome', os: random.pick(['Windows', 'Linux']) }),
        visitsPerId: random.pick([1, 1, 5]),
        steps: leave,
      });
    }
  },
};

const cron: Profile = {
  name: 'cron_intervals',
  group: 'crude_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 2, volume); count > 0; count--) {
      const begin = world.at(world.days[0] ?? 0, between(random, 0, 5));
      const days = random.whole(3, world.days.length);
      click(world, random, actor, {
        network: world.networks.next(random.chance(0.7) ? 'hoster' : 'vpn'),
        host: 4,
        times: every(random, begin, begin + days * DAY_MS, between(random, 1_900, 7_200) * 1_000, 0.03),
        channel: 'google_ads',
        device: world.devices.named({ browser: 'Chrome', os: 'Linux' }),
        visitsPerId: 1,
        steps: leave,
      });
    }
  },
};

const clockLocked: Profile = {
  name: 'clock_locked',
  group: 'crude_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 2, volume); count > 0; count--) {
      const second = random.whole(0, 59) * 1_000;
      const times = world.times(random, between(random, 8, 20), HOURS.flat);
      click(world, random, actor, {
        network: world.networks.next('hoster'),
        host: () => random.whole(0, 3),
        times: times.map((at) => at - (at % 60_000) + second + random.whole(0, 1_500)),
        channel: 'google_ads',
        device: () => world.devices.draw('desktop', random),
        visitsPerId: 1,
        steps: leave,
      });
    }
  },
};

const burst: Profile = {
  name: 'bursts',
  group: 'crude_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 2, volume); count > 0; count--) {
      const begin = world.timeOn(random, random.pick(world.days), HOURS.flat);
      click(world, random, actor, {
        network: world.networks.next('hoster'),
        host: () => random.whole(0, 40),
        times: Array.from({ length: random.whole(70, 160) }, () => begin + Math.floor(random.unit() * 900_000)),
        channel: 'meta_ads',
        device: () => world.devices.draw('home', random),
        visitsPerId: 1,
        steps: leave,
      });
    }
  },
};

const template: Profile = {
  name: 'path_template',
  group: 'crude_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 3, volume); count > 0; count--) {
      const landing = random.pick(world.channel('google_ads').landings);
      const paths = [landing, ...Array.from({ length: random.whole(1, 4) }, () => world.site.anyPage(random))];
      click(world, random, actor, {
        network: world.networks.next('hoster'),
        host: () => random.whole(0, 5),
        times: world.times(random, between(random, 6, 15), HOURS.people),
        channel: 'google_ads',
        device: () => world.devices.draw('desktop', random),
        visitsPerId: 1,
        steps: script(paths, between(random, 3_000, 12_000), 0.05),
      });
    }
  },
};

const repeatClicker: Profile = {
  name: 'repeat_clickers',
  group: 'crude_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 4, volume); count > 0; count--) {
      click(world, random, actor, {
        network: world.networks.next('home'),
        host: random.whole(0, 200),
        times: world.times(random, around(random, 26, 0.3), HOURS.people),
        channel: 'google_ads',
        device: world.devices.draw('desktop', random),
        visitsPerId: random.pick([0, 1, 1, 4]),
        steps: leave,
      });
    }
  },
};

const impossibleAgents: Profile = {
  name: 'agent_rotation',
  group: 'crude_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 2, volume); count > 0; count--) {
      click(world, random, actor, {
        network: world.networks.next('hoster'),
        host: () => random.whole(0, 12),
        times: world.times(random, between(random, 6, 15), HOURS.flat),
        channel: 'google_ads',
        device: () => (random.chance(0.4) ? random.pick(IMPOSSIBLE_DEVICES) : world.devices.draw('home', random)),
        visitsPerId: 1,
        steps: leave,
      });
    }
  },
};

const torClickers: Profile = {
  name: 'tor_clickers',
  group: 'crude_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 1, volume); count > 0; count--) {
      click(world, random, actor, {
        network: world.networks.next('tor'),
        host: () => random.whole(0, 20),
        times: world.times(random, between(random, 4, 10), HOURS.flat),
        channel: 'google_ads',
        device: world.devices.named({ browser: 'Firefox', os: 'Windows' }),
        visitsPerId: 1,
        steps: leave,
      });
    }
  },
};

export const CRUDE_BOTS: readonly Profile[] = [
  declaredCrawlers,
  headlessScrapers,
  hosterFlood,
  cron,
  clockLocked,
  burst,
  template,
  repeatClicker,
  impossibleAgents,
  torClickers,
];
