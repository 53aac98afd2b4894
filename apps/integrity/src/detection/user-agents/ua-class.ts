import type { UaClass } from '../traffic.js';
import { isAutomationName, isBotName } from './bot-names.js';
import {
  canonicalBrowser,
  canonicalSystem,
  isInAppBrowser,
  isKnownBrowser,
  isMobileBrowser,
  isMobileSystem,
} from './names.js';

/**
 * The class of a parsed pair of names in any dialect. A family of the allow-list is a browser whatever the patterns for bots
 * would say of it; an unlisted name that looks like no bot is `unknown`, unless its system says more.
 */
export function uaClass(browser: string, os: string): UaClass {
  const family = canonicalBrowser(browser);
  const system = canonicalSystem(os);
  const isKnown = isKnownBrowser(family);
  if (!isKnown && isAutomationName(family)) return 'automation';
  if (!isKnown && isBotName(family)) return 'bot';
  if (isInAppBrowser(family)) return 'in_app';
  if (family === '') return 'unknown';
  if (isMobileSystem(system) || isMobileBrowser(family)) return 'mobile';
  if (isMobileName(browser)) return 'mobile';
  return isKnown || system !== '' ? 'desktop' : 'unknown';
}

function isMobileName(browser: string): boolean {
  return /\bmobile\b|\bios\b|android|crios|fxios/i.test(browser);
}
