/**
 * The calendar day at an instant in an IANA time zone, as `YYYY-MM-DD`. Put together from its parts: what a locale's
 * short form looks like may change with the ICU data of Node.
 */
export function localDay(timezone: string, at: Date): string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${parts.get('year') ?? ''}-${parts.get('month') ?? ''}-${parts.get('day') ?? ''}`;
}
