import type { Random } from '#apps/cli/src/demo-shop/random.js';

/** Browser and system as a parser names them. */
export interface Device {
  browser: string;
  os: string;
}

type Shares = readonly (readonly [browser: string, os: string, share: number])[];

const DESKTOP: Shares = [
  ['Chrome', 'Windows', 46], ['Edge', 'Windows', 17], ['Firefox', 'Windows', 6], ['Chrome', 'macOS', 10],
  ['Safari', 'macOS', 13], ['Firefox', 'Linux', 3], ['Chrome', 'Linux', 3], ['Opera', 'Windows', 2],
]; // prettier-ignore

const MOBILE: Shares = [
  ['Chrome', 'Android', 45], ['Safari', 'iOS', 36], ['Samsung Internet', 'Android', 9], ['Chrome', 'iOS', 7],
  ['Firefox', 'Android', 2], ['Opera', 'Android', 1],
]; // prettier-ignore

const IN_APP: Shares = [
  ['Facebook', 'iOS', 26], ['Facebook', 'Android', 34], ['Instagram', 'iOS', 20], ['Instagram', 'Android', 16],
  ['TikTok', 'Android', 4],
]; // prettier-ignore

/** The same with the words of another parser. */
const DIALECT: Readonly<Record<string, string>> = {
  'Safari iOS': 'Mobile Safari',
  'Chrome Android': 'Chrome Mobile',
  'Chrome iOS': 'Chrome Mobile iOS',
  'Firefox Android': 'Firefox Mobile',
  'Facebook iOS': 'Facebook',
  'Instagram iOS': 'Instagram',
};

export type DeviceKind = 'desktop' | 'mobile' | 'in_app' | 'home' | 'apple';

/** Draws what people use. One collector names all browsers in one dialect. */
export class Devices {
  constructor(private readonly dialect: boolean) {}

  draw(kind: DeviceKind, random: Random): Device {
    const shares =
      kind === 'desktop'
        ? DESKTOP
        : kind === 'mobile'
          ? MOBILE
          : kind === 'in_app'
            ? IN_APP
            : kind === 'apple'
              ? APPLE
              : random.chance(0.55)
                ? MOBILE
                : DESKTOP;
    const [browser, os] = random.weighted(shares, ([, , share]) => share);
    return this.named({ browser, os });
  }

  named({ browser, os }: Device): Device {
    if (!this.dialect) return { browser, os };
    return { browser: DIALECT[`${browser} ${os}`] ?? browser, os: os === 'macOS' ? 'Mac OS X' : os };
  }
}

/** Private Relay serves Safari only. */
const APPLE: Shares = [['Safari', 'iOS', 70], ['Safari', 'macOS', 30]]; // prettier-ignore

/** Pairs that no machine has. */
export const IMPOSSIBLE_DEVICES: readonly Device[] = [
  { browser: 'Safari', os: 'Windows' },
  { browser: 'Safari', os: 'Linux' },
  { browser: 'Samsung Internet', os: 'Windows' },
  { browser: 'IE', os: 'Android' },
  { browser: '', os: 'Linux' },
];
