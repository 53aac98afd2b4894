/**
 * What suits a laptop with two cores and large imports; everything may be overridden. A commit is on disk when it is
 * acknowledged. Compiling of queries (jit) costs small ones more than it brings; WAL compression made bulk loads four
 * times slower.
 */
export const DEFAULT_SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  wal_compression: 'off',
  checkpoint_timeout: '15min',
  synchronous_commit: 'on',
  jit: 'off',
  max_connections: '100',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
};

/** Loopback only, no socket file; not overridable, because the guard and the address rely on them. */
export function fixedSettings(port: number): Record<string, string> {
  return { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '', logging_collector: 'off' };
}
