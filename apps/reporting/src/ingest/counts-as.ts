import { COUNTS_AS, type CountsAs } from './sessions.js';

/** What an event counts as besides an event. */
export function countsAs(eventType: string): CountsAs {
  if (eventType === 'page_view') return COUNTS_AS.pageview;
  return eventType === 'conversion' ? COUNTS_AS.conversion : COUNTS_AS.nothing;
}
