import type { Profile } from '../profiles/profile.js';
import { HELD_OUT_BOTS } from './held-out-bots.js';
import { HELD_OUT_PEOPLE } from './held-out-people.js';
import { profileOf } from './row.js';

/** People first: bots of some profiles hide in their networks. */
export const HELD_OUT_PROFILES: readonly Profile[] = [...HELD_OUT_PEOPLE, ...HELD_OUT_BOTS].map(profileOf);
