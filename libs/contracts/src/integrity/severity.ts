/** From nothing found to certain; block lists hold the last two. */
export const SEVERITIES = ['clean', 'suspected', 'likely', 'confirmed'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What is scored: a /24 or /48, an address or /64, an AS number, a visitor. */
export const ENTITY_TYPES = ['network', 'host', 'asn', 'visitor'] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

/** What an entity id looks like; only the service of the entities knows whether there is one. */
export const ENTITY_ID = /^(?:net|net6|host|host6|asn|vis)-[0-9a-f.-]{1,64}$/;
