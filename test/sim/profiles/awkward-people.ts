import { HOURS } from '../world.js';
import { residents } from './everyday-people.js';
import { around, between, howMany, type Profile } from './profile.js';

const inAppBrowsers: Profile = {
  name: 'in_app_browsers',
  group: 'awkward_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 14, volume); count > 0; count--) {
      residents(world, random, actor, world.networks.next('mobile'), {
        perDay: around(random, 12, 0.6),
        hosts: random.whole(1, 8),
        device: 'in_app',
        returning: 0.02,
        paid: 0.97,
        temper: { bounce: between(random, 1.3, 1.7), conversion: 0.25, dwell: 0.4, depth: 0.6 },
      });
    }
  },
};

const inAppOfMixedOperators: Profile = {
  name: 'in_app_of_mixed_operators',
  group: 'awkward_people',
  act(world, random, actor, volume) {
    // Telefónica, Orange, SFR, Telekom and others announce the addresses of phones and of homes from one AS.
    for (let count = howMany(random, 3, volume); count > 0; count--) {
      residents(world, random, actor, world.networks.next('home'), {
        perDay: around(random, 9, 0.6),
        hosts: random.whole(1, 8),
        device: 'in_app',
        returning: 0.02,
        paid: 0.97,
        temper: { bounce: between(random, 1.2, 1.6), conversion: 0.25, dwell: 0.4, depth: 0.6 },
      });
    }
  },
};

const privateRelay: Profile = {
  name: 'private_relay',
  group: 'awkward_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 12, volume); count > 0; count--) {
      residents(world, random, actor, world.networks.next('relay', { ipv6: random.chance(0.4) }), {
        perDay: around(random, 4, 0.8),
        hosts: random.whole(3, 60),
        device: 'apple',
        returning: 0.1,
      });
    }
  },
};

const vpnUsers: Profile = {
  name: 'vpn_users',
  group: 'awkward_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 10, volume); count > 0; count--) {
      residents(world, random, actor, world.networks.next('vpn'), {
        perDay: around(random, 2, 0.7),
        hosts: random.whole(2, 30),
        device: 'home',
        returning: 0.15,
        temper: { conversion: 0.7 },
      });
    }
  },
};

const callCentres: Profile = {
  name: 'call_centres',
  group: 'awkward_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 4, volume); count > 0; count--) {
      const network = world.networks.next('company');
      const device = world.devices.draw('desktop', random);
      // Agents look at what the caller sees: the same pages all day, mostly through the ad on top; cookies go at night.
      for (const startMs of world.times(random, between(random, 12, 40), HOURS.office, 0.4)) {
        const visitor = world.visitor(actor, random, device);
        const channel = random.chance(0.75) ? world.channel('google_ads') : world.channel('direct');
        world.people(
          random,
          { visitor, network, host: random.whole(0, 1), channel, startMs },
          { bounce: between(random, 0.9, 1.4), conversion: 0.05, depth: 0.6, dwell: 0.7 },
        );
      }
    }
  },
};

const publicWifi: Profile = {
  name: 'public_wifi',
  group: 'awkward_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 8, volume); count > 0; count--) {
      residents(world, random, actor, world.networks.next(random.chance(0.7) ? 'home' : 'company'), {
        perDay: around(random, 7, 0.5),
        hosts: 1,
        device: 'mobile',
        returning: 0.03,
        temper: { bounce: 1.1, conversion: 0.5 },
      });
    }
  },
};

const sharedAddresses: Profile = {
  name: 'carrier_nat_at_home',
  group: 'awkward_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 8, volume); count > 0; count--) {
      residents(world, random, actor, world.networks.next('shared_home'), {
        perDay: around(random, 10, 0.5),
        hosts: random.whole(1, 5),
        device: 'home',
        returning: 0.12,
        temper: { bounce: 1.1, conversion: 0.5 },
      });
    }
  },
};

const badLanding: Profile = {
  name: 'bad_landing_page',
  group: 'awkward_people',
  act(world, random, actor, volume) {
    // A campaign that leads to a page which hardly anybody likes: people, all of them paid, who leave at once.
    for (let count = howMany(random, 90, volume); count > 0; count--) {
      residents(world, random, actor, world.networks.next('home'), {
        perDay: around(random, 0.5, 0.6),
        hosts: random.whole(1, 4),
        device: 'home',
        returning: 0.1,
        paid: 0.95,
        temper: { bounce: between(random, 1.6, 2.2), conversion: 0.1 },
      });
    }
  },
};

const nightShift: Profile = {
  name: 'night_shift',
  group: 'awkward_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 14, volume); count > 0; count--) {
      residents(world, random, actor, world.networks.next(random.chance(0.6) ? 'home' : 'company'), {
        perDay: between(random, 1.5, 6),
        hosts: random.whole(1, 2),
        device: 'home',
        returning: 0.5,
        hours: HOURS.night,
      });
    }
  },
};

const children: Profile = {
  name: 'children_with_tablets',
  group: 'awkward_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 25, volume); count > 0; count--) {
      const network = world.networks.next('home');
      const visitor = world.visitor(actor, random, world.devices.named({ browser: 'Safari', os: 'iOS' }));
      for (const startMs of world.times(random, between(random, 0.3, 1.4), HOURS.people)) {
        // Taps on the ad under a game, sometimes again and again.
        for (let tap = 1 + random.poisson(0.5), at = startMs; tap > 0; tap--) {
          world.people(
            random,
            { visitor, network, host: 7, channel: world.channel('meta_ads'), startMs: at },
            { bounce: 1.7, conversion: 0, dwell: 0.2 },
          );
          at += Math.floor(2_000 + random.exponential(15_000));
        }
      }
    }
  },
};

const comparers: Profile = {
  name: 'comparing_shoppers',
  group: 'awkward_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 40, volume); count > 0; count--) {
      const network = world.networks.next('home');
      const visitor = world.visitor(actor, random, 'desktop');
      const begin = world.timeOn(random, random.pick(world.days), HOURS.people);
      for (let click = random.whole(3, 7), at = begin; click > 0; click--) {
        const channel = world.channel(random.chance(0.8) ? 'google_ads' : 'bing_ads');
        world.people(random, { visitor, network, host: 11, channel, startMs: at }, { conversion: 2 });
        at += Math.floor(60_000 + random.exponential(1_500_000));
      }
    }
  },
};

const gateways: Profile = {
  name: 'security_gateways',
  group: 'awkward_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 6, volume); count > 0; count--) {
      residents(world, random, actor, world.networks.next('gateway'), {
        perDay: around(random, 5, 0.5),
        hosts: random.whole(2, 40),
        device: 'desktop',
        returning: 0.35,
        hours: HOURS.office,
        weekend: 0.1,
      });
    }
  },
};

const remoteDesktops: Profile = {
  name: 'remote_desktops',
  group: 'awkward_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 4, volume); count > 0; count--) {
      residents(world, random, actor, world.networks.next('hoster'), {
        perDay: around(random, 2.5, 0.4),
        hosts: random.whole(2, 12),
        device: world.devices.named({ browser: 'Chrome', os: 'Windows' }),
        returning: 0.6,
        hours: HOURS.office,
        weekend: 0.1,
        temper: { conversion: 0.8 },
      });
    }
  },
};

const schools: Profile = {
  name: 'school_classes',
  group: 'awkward_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 4, volume); count > 0; count--) {
      const network = world.networks.next('university');
      for (let lesson = random.whole(1, 4); lesson > 0; lesson--) {
        const begin = world.timeOn(random, random.pick(world.days), HOURS.school);
        for (let pupil = random.whole(12, 30); pupil > 0; pupil--) {
          const visitor = world.visitor(actor, random, { browser: 'Chrome', os: 'Chrome OS' });
          const channel = world.anyChannel(random, { paid: random.chance(0.5) });
          const startMs = begin + Math.floor(random.exponential(240_000));
          world.people(random, { visitor, network, host: 0, channel, startMs }, { bounce: 0.9, conversion: 0 });
        }
      }
    }
  },
};

const travellers: Profile = {
  name: 'travellers',
  group: 'awkward_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 25, volume); count > 0; count--) {
      const visitor = world.visitor(actor, random, 'mobile');
      const kinds = ['home', 'mobile', 'mobile', 'home', 'company', 'vpn'] as const;
      const networks = Array.from({ length: random.whole(3, 7) }, () => world.networks.next(random.pick(kinds)));
      for (const startMs of world.times(random, between(random, 0.8, 2.5), HOURS.people)) {
        const network = random.pick(networks);
        world.people(random, { visitor, network, host: 5, channel: world.anyChannel(random), startMs });
      }
    }
  },
};

export const AWKWARD_PEOPLE: readonly Profile[] = [
  inAppBrowsers,
  inAppOfMixedOperators,
  privateRelay,
  vpnUsers,
  callCentres,
  publicWifi,
  sharedAddresses,
  badLanding,
  nightShift,
  children,
  comparers,
  gateways,
  remoteDesktops,
  schools,
  travellers,
];
