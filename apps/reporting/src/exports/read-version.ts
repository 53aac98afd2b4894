/** The version of an asset's rollups that is read, in queries whose $1 is the asset; it is found once per query. */
export const READ_VERSION = '(SELECT COALESCE(max(version), 1) FROM reporting.asset_state WHERE asset_id = $1)';
