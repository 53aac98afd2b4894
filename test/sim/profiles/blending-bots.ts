import { HOURS } from '../world.js';
import { click, leave, pretend } from './clicker.js';
import { around, between, howMany, type Profile } from './profile.js';

const jitterFarm: Profile = {
  name: 'farm_with_jitter',
  group: 'blending_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 5, volume); count > 0; count--) {
      click(world, random, actor, {
        network: world.networks.next('hoster'),
        host: () => random.whole(0, 15),
        times: world.times(random, between(random, 3, 10), HOURS.flat),
        channel: () => world.anyChannel(random, { paid: true }),
        device: () => world.devices.draw('home', random),
        visitsPerId: random.pick([1, 2]),
        steps: pretend(world, 0.1),
      });
    }
  },
};

const humanHours: Profile = {
  name: 'farm_with_human_hours',
  group: 'blending_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 5, volume); count > 0; count--) {
      click(world, random, actor, {
        network: world.networks.next('hoster'),
        host: () => random.whole(0, 20),
        times: world.times(random, between(random, 3, 10), HOURS.people),
        channel: (one) => world.anyChannel(one, { paid: one.chance(0.9) }),
        device: () => world.devices.draw('home', random),
        visitsPerId: 1,
        steps: pretend(world, 0.2),
      });
    }
  },
};

const partialEngagement: Profile = {
  name: 'partial_engagement',
  group: 'blending_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 4, volume); count > 0; count--) {
      click(world, random, actor, {
        network: world.networks.next('hoster'),
        host: () => random.whole(0, 20),
        times: world.times(random, between(random, 4, 12), HOURS.people),
        channel: () => world.anyChannel(random, { paid: true }),
        device: () => world.devices.draw('desktop', random),
        visitsPerId: 1,
        steps: pretend(world, between(random, 0.3, 0.5)),
      });
    }
  },
};

const slowDrip: Profile = {
  name: 'slow_drip',
  group: 'blending_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 1, volume); count > 0; count--) {
      const asn = world.networks.owner('hoster');
      for (let networks = random.whole(30, 60); networks > 0; networks--) {
        click(world, random, actor, {
          network: world.networks.next('hoster', { asn }),
          host: () => random.whole(0, 250),
          times: world.times(random, between(random, 0.4, 0.9), HOURS.people),
          channel: () => world.anyChannel(random, { paid: true }),
          device: () => world.devices.draw('home', random),
          visitsPerId: 1,
          steps: pretend(world, 0.1),
        });
      }
    }
  },
};

const hostAmongPeople: Profile = {
  name: 'host_among_people',
  group: 'blending_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 5, volume); count > 0; count--) {
      const homes = random.chance(0.5) && world.busyHomes.length > 0 ? world.busyHomes : world.homes;
      if (homes.length === 0) return;
      const network = random.pick(homes);
      click(world, random, actor, {
        network,
        host: 230,
        times: world.times(random, around(random, 14, 0.3), HOURS.people),
        channel: 'google_ads',
        device: world.devices.draw('desktop', random),
        visitsPerId: 1,
        steps: pretend(world, 0.05),
      });
    }
  },
};

const cookieChurn: Profile = {
  name: 'cookie_churn',
  group: 'blending_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 3, volume); count > 0; count--) {
      click(world, random, actor, {
        network: world.networks.next('home'),
        host: 60,
        times: world.times(random, around(random, 16, 0.3), HOURS.flat),
        channel: 'google_ads',
        device: world.devices.draw('home', random),
        visitsPerId: 1,
        steps: pretend(world, 0.08),
      });
    }
  },
};

const vpnClickers: Profile = {
  name: 'vpn_clickers',
  group: 'blending_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 3, volume); count > 0; count--) {
      click(world, random, actor, {
        network: world.networks.next('vpn'),
        host: () => random.whole(0, 30),
        times: world.times(random, between(random, 4, 12), HOURS.people),
        channel: () => world.anyChannel(random, { paid: true }),
        device: () => world.devices.draw('desktop', random),
        visitsPerId: 1,
        steps: pretend(world, 0.1),
      });
    }
  },
};

const mobileAgents: Profile = {
  name: 'mobile_agents_at_hoster',
  group: 'blending_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 3, volume); count > 0; count--) {
      click(world, random, actor, {
        network: world.networks.next('hoster', { ipv6: random.chance(0.3) }),
        host: () => random.whole(0, 100),
        times: world.times(random, between(random, 5, 15), HOURS.people),
        channel: 'meta_ads',
        device: () => world.devices.draw(random.chance(0.5) ? 'in_app' : 'mobile', random),
        visitsPerId: 1,
        steps: pretend(world, 0.08),
      });
    }
  },
};

const hoppers: Profile = {
  name: 'network_hoppers',
  group: 'blending_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 3, volume); count > 0; count--) {
      // One visitor id behind a changing exit: every network sees it once or twice only.
      const visitor = world.visitor(actor, random, 'desktop');
      for (const startMs of world.times(random, between(random, 12, 25), HOURS.people)) {
        const network = world.networks.next('home');
        const channel = world.anyChannel(random, { paid: true });
        world.visit(random, { visitor, network, host: 9, channel, startMs, steps: leave(random, channel) });
      }
    }
  },
};

const scatteredPlaces: Profile = {
  name: 'scattered_places',
  group: 'blending_bots',
  act(world, random, actor, volume) {
    const countries = ['US', 'BR', 'DE', 'IN', 'VN', 'ID', 'FR', 'TR'];
    for (let count = howMany(random, 2, volume); count > 0; count--) {
      const network = world.networks.next('hoster');
      for (const at of world.times(random, between(random, 5, 14), HOURS.people)) {
        click(world, random, actor, {
          network,
          host: random.whole(0, 60),
          times: [at],
          channel: 'google_ads',
          device: () => world.devices.draw('home', random),
          visitsPerId: 1,
          steps: pretend(world, 0.15),
          country: random.pick(countries),
        });
      }
    }
  },
};

const nightBots: Profile = {
  name: 'night_clickers_at_home',
  group: 'blending_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 3, volume); count > 0; count--) {
      click(world, random, actor, {
        network: world.networks.next('home'),
        host: () => random.whole(0, 3),
        times: world.times(random, between(random, 12, 26), HOURS.night),
        channel: 'google_ads',
        device: () => world.devices.draw('desktop', random),
        visitsPerId: 1,
        steps: pretend(world, 0.05),
      });
    }
  },
};

export const BLENDING_BOTS: readonly Profile[] = [
  jitterFarm,
  humanHours,
  partialEngagement,
  slowDrip,
  hostAmongPeople,
  cookieChurn,
  vpnClickers,
  mobileAgents,
  hoppers,
  scatteredPlaces,
  nightBots,
];
