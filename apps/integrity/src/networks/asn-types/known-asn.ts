/** An AS number, and a part of the organisation's registered name that a test looks for in the ASN data. */
export type KnownAsn = readonly [asn: number, name: string];
