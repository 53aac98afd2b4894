import type { Random } from '#apps/cli/src/demo-shop/random.js';
import type { Network } from '../address-book.js';
import type { Actor, Visitor, World } from '../world.js';
import { HOURS } from '../world.js';
import { around, between, howMany, type Profile } from './profile.js';

/** Visits of the people of one network: some come back, most do not. `perDay` is the mean of all of them. */
export function residents(
  world: World,
  random: Random,
  actor: Actor,
  network: Network,
  options: {
    perDay: number;
    hosts: number;
    device: Parameters<World['visitor']>[2];
    /** Part of visits by somebody who was here before. */
    returning: number;
    hours?: readonly number[];
    weekend?: number;
    paid?: number;
    temper?: Parameters<World['people']>[2];
  },
): void {
  const known: { visitor: Visitor; host: number }[] = [];
  const times = world
    .times(random, options.perDay, options.hours ?? HOURS.people, options.weekend)
    .sort((a, b) => a - b);
  for (const startMs of times) {
    const again = known.length > 0 && random.chance(options.returning) ? random.pick(known) : undefined;
    const one = again ?? {
      visitor: world.visitor(actor, random, options.device),
      host: random.whole(0, options.hosts - 1),
    };
    if (again === undefined) {
      known.push(one);
      if (random.chance(0.08)) one.visitor.user = `user-${one.visitor.id}`;
    }
    const channel =
      options.paid === undefined
        ? world.anyChannel(random, again !== undefined && random.chance(0.6) ? { paid: false } : {})
        : world.anyChannel(random, { paid: random.chance(options.paid) });
    world.people(random, { visitor: one.visitor, network, host: one.host, channel, startMs }, options.temper);
  }
}

const homeBroadband: Profile = {
  name: 'home_broadband',
  group: 'everyday_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 850, volume); count > 0; count--) {
      const network = world.networks.next('home', { ipv6: random.chance(0.12) });
      world.homes.push(network);
      const perDay = Math.min(6, around(random, 0.45, 0.9));
      residents(world, random, actor, network, { perDay, hosts: random.whole(1, 6), device: 'home', returning: 0.35 });
    }
  },
};

const apartmentBlocks: Profile = {
  name: 'apartment_blocks',
  group: 'everyday_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 5, volume); count > 0; count--) {
      const network = world.networks.next('home');
      world.busyHomes.push(network);
      const perDay = between(random, 10, 30);
      residents(world, random, actor, network, {
        perDay,
        hosts: random.whole(20, 80),
        device: 'home',
        returning: 0.35,
      });
    }
  },
};

const mobileBrowsers: Profile = {
  name: 'mobile_browsers',
  group: 'everyday_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 24, volume); count > 0; count--) {
      const network = world.networks.next('mobile', { ipv6: random.chance(0.15) });
      residents(world, random, actor, network, {
        perDay: around(random, 7, 0.7),
        hosts: random.whole(2, 40),
        device: 'mobile',
        returning: 0.15,
        temper: { bounce: 1.15, conversion: 0.6, dwell: 0.8 },
      });
    }
  },
};

const offices: Profile = {
  name: 'offices',
  group: 'everyday_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 22, volume); count > 0; count--) {
      const network = world.networks.next(random.chance(0.85) ? 'company' : 'authority');
      residents(world, random, actor, network, {
        perDay: around(random, 3.5, 0.7),
        hosts: random.whole(1, 3),
        device: 'desktop',
        returning: 0.4,
        hours: HOURS.office,
        weekend: 0.05,
        temper: { conversion: 0.8 },
      });
    }
  },
};

const universities: Profile = {
  name: 'universities',
  group: 'everyday_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 7, volume); count > 0; count--) {
      residents(world, random, actor, world.networks.next('university'), {
        perDay: around(random, 6, 0.5),
        hosts: random.whole(2, 60),
        device: 'home',
        returning: 0.25,
        temper: { conversion: 0.6 },
      });
    }
  },
};

const flashCrowd: Profile = {
  name: 'flash_crowd',
  group: 'everyday_people',
  act(world, random, actor, volume) {
    const start = world.at(random.pick(world.days), between(random, 11, 20));
    const channel = world.channel(random.chance(0.6) ? 'meta_ads' : 'google_ads');
    const minutes = between(random, 10, 40);
    const visit = (kind: 'home' | 'mobile', visits: number): void => {
      const network = world.networks.next(kind);
      for (; visits > 0; visits--) {
        const startMs = start + Math.floor(random.exponential(minutes) * 60_000);
        const visitor = world.visitor(actor, random, kind === 'home' ? 'home' : 'mobile');
        world.people(random, { visitor, network, host: random.whole(0, 9), channel, startMs }, { bounce: 1.1 });
      }
    };
    for (let count = howMany(random, 160, volume); count > 0; count--) visit('home', 1 + random.poisson(0.7));
    for (let count = howMany(random, 4, volume); count > 0; count--) visit('mobile', random.whole(20, 90));
  },
};

const loyalCustomers: Profile = {
  name: 'loyal_customers',
  group: 'everyday_people',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 45, volume); count > 0; count--) {
      const visitor = world.visitor(actor, random, 'home');
      visitor.user = `user-${visitor.id}`;
      const network = world.networks.next('home');
      const brand = world.channel('google_ads');
      for (const startMs of world.times(random, between(random, 0.6, 1.8), HOURS.people)) {
        // Many look for the shop's name and click on its ad above the result.
        const channel = random.chance(0.55) ? brand : world.anyChannel(random, { paid: false });
        world.people(
          random,
          { visitor, network, host: 3, channel, startMs },
          { bounce: 0.6, conversion: 4, depth: 1.2 },
        );
      }
    }
  },
};

export const EVERYDAY_PEOPLE: readonly Profile[] = [
  homeBroadband,
  apartmentBlocks,
  mobileBrowsers,
  offices,
  universities,
  flashCrowd,
  loyalCustomers,
];
