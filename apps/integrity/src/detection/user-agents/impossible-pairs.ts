/** Systems on which a browser never existed or has been gone for over ten years, by canonical family. */
const IMPOSSIBLE: ReadonlyMap<string, (os: string) => boolean> = new Map([
  ['Safari', (os) => os === 'Windows' || os === 'Android' || os === 'Linux'],
  ['Internet Explorer', (os) => os !== 'Windows' && os !== 'Windows Phone'],
  ['Samsung Internet', (os) => os !== 'Android'],
]);

/** Whether no machine has this browser on this system; canonical names. Without a browser or a system nothing is impossible. */
export function isImpossiblePair(browser: string, os: string): boolean {
  return browser !== '' && os !== '' && (IMPOSSIBLE.get(browser)?.(os) ?? false);
}
