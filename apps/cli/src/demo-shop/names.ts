import type { Place } from './places.js';
import type { Random } from './random.js';

/** Who a person says to be at the login. */
export interface Account {
  globalUserId: string;
  email?: string;
  phone?: string;
  crmClientId?: string;
}

const FIRST = ['Anna', 'Ben', 'Chloé', 'Davide', 'Elif', 'François', 'Grace', 'Hélène', 'İpek', 'Jürgen', 'Katarzyna', 'Lars',
  'María', 'Noah', 'Olga', 'Paweł', 'Quinn', 'Renée', 'Søren', 'Tomás', 'Uma', 'Vera', 'Wren', 'Ximena', 'Yuki', 'Zoë']; // prettier-ignore
const LAST = ['Almeida', 'Bauer', 'Castro', 'Dubois', 'Eriksen', 'Fischer', 'García', 'Hughes', 'Ivanov', 'Jansen', 'Kowalska',
  'Lindqvist', 'Müller', 'Novák', "O'Brien", 'Petit', 'Quist', 'Rossi', 'Silva', 'Tanaka', 'Ueda', 'Vega', 'Wójcik', 'Young']; // prettier-ignore
/** RFC 2606. */
const MAIL_HOSTS = ['example.com', 'example.net', 'example.org'];

/**
 * Numbers that the regulators keep for films and books: NANPA 555-01xx, Ofcom, Bundesnetzagentur, Arcep. `#` is a digit.
 */
const PHONES: Readonly<Record<string, string>> = {
  US: '+1 202 555 01##',
  CA: '+1 613 555 01##',
  GB: '+44 20 7946 0###',
  DE: '+49 30 23125 ###',
  FR: '+33 1 99 00 ## ##',
};

export function newAccount(random: Random, place: Place): Account {
  const name = [random.pick(FIRST), random.pick(LAST)].map(plainLetters).join('.');
  const phone = PHONES[place.country];
  return {
    globalUserId: `user-${Buffer.from(random.bytes(6)).toString('hex')}`,
    ...(random.chance(0.94) ? { email: `${name}${random.whole(1, 99)}@${random.pick(MAIL_HOSTS)}` } : {}),
    ...(phone !== undefined && random.chance(0.4)
      ? { phone: phone.replaceAll('#', () => String(random.whole(0, 9))) }
      : {}),
    ...(random.chance(0.55) ? { crmClientId: `C-${random.whole(100_000, 999_999)}` } : {}),
  };
}

function plainLetters(name: string): string {
  return name
    .replaceAll('ł', 'l')
    .replaceAll('ø', 'o')
    .normalize('NFKD')
    .replace(/[^a-zA-Z]/g, '')
    .toLowerCase();
}
