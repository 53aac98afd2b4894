/** What an asset decides about its models. */
export interface ModelingSettings {
  /** Targets of automatic runs. */
  targets: string[];
  /** What a conversion is worth, in the asset's currency; null: unknown, and return on spend of counts too. */
  conversion_value: string | null;
}
