/** The version of an asset's rollups that is read, in queries whose $1 is the asset. */
export const READ_VERSION = 'COALESCE((SELECT version FROM reporting.asset_state WHERE asset_id = $1), 1)';
