import { HOURS } from '../world.js';
import { click, pretend } from './clicker.js';
import { residents } from './everyday-people.js';
import { between, howMany, type Profile } from './profile.js';

const residentialProxies: Profile = {
  name: 'residential_proxies',
  group: 'hidden_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 160, volume); count > 0; count--) {
      click(world, random, actor, {
        network: world.networks.next('home'),
        host: random.whole(0, 250),
        times: Array.from({ length: random.whole(1, 2) }, () =>
          world.timeOn(random, random.pick(world.days), HOURS.people),
        ),
        channel: () => world.anyChannel(random, { paid: true }),
        device: () => world.devices.draw('home', random),
        visitsPerId: 1,
        steps: pretend(world, 0.2),
      });
    }
  },
};

const botsInCarrierNat: Profile = {
  name: 'bots_in_carrier_nat',
  group: 'hidden_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 2, volume); count > 0; count--) {
      const network = world.networks.next('mobile');
      const people = { profile: 'mobile_browsers', isBot: false, attributable: true };
      residents(world, random, people, network, {
        perDay: between(random, 6, 15),
        hosts: 6,
        device: 'mobile',
        returning: 0.1,
      });
      click(world, random, actor, {
        network,
        host: () => random.whole(0, 5),
        times: world.times(random, between(random, 2, 7), HOURS.people),
        channel: 'meta_ads',
        device: () => world.devices.draw('mobile', random),
        visitsPerId: 1,
        steps: pretend(world, 0.15),
      });
    }
  },
};

const companyClickers: Profile = {
  name: 'clickers_in_a_company',
  group: 'hidden_bots',
  act(world, random, actor, volume) {
    for (let count = howMany(random, 2, volume); count > 0; count--) {
      click(world, random, actor, {
        network: world.networks.next('company'),
        host: () => random.whole(0, 3),
        times: world.times(random, between(random, 4, 12), HOURS.office, 0.1),
        channel: 'google_ads',
        device: () => world.devices.draw('desktop', random),
        visitsPerId: 2,
        steps: pretend(world, 0.25),
      });
    }
  },
};

/** Bots that no honest rule can tie to a network: they count in the recall of all bots, not of attributable ones. */
export const HIDDEN_BOTS: readonly Profile[] = [residentialProxies, botsInCarrierNat, companyClickers];
