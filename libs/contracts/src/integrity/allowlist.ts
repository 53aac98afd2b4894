/** What is not scored whatever it does: offices, uptime monitors, verified crawlers. */
export interface AllowlistRule {
  rule_id: string;
  /** In canonical text; null for a rule about an AS number. */
  cidr: string | null;
  asn: number | null;
  reason: string;
  /** Name of the principal who added it. */
  by: string;
  /** The last local day on which it holds; null: it has no end. */
  until: string | null;
  created_at: string;
}

/** A rule to be added: one of `cidr` and `asn`. */
export interface NewAllowlistRule {
  cidr: string | null;
  asn: number | null;
  reason: string;
  until: string | null;
}
