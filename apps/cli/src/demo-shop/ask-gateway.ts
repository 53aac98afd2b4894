import { CommandFailure } from '../session.js';
import type { GatewayAccess } from '../load-events/gateway-access.js';

/**
 * One request to the gateway, for the asset of the access; the answer is JSON.
 *
 * @param path with neither query nor host
 * @throws CommandFailure when the gateway refuses or can't be reached
 */
export async function askGateway<T>(access: GatewayAccess, path: string, init: RequestInit = {}): Promise<T> {
  const url = new URL(`${access.url.replace(/\/+$/, '')}${path}`);
  if (access.assetId !== undefined) url.searchParams.set('asset_id', access.assetId);
  const headers = { Authorization: `Bearer ${access.token}`, 'Content-Type': 'text/csv' };
  const response = await fetch(url, { ...init, headers }).catch((error: unknown) => {
    const { cause } = error as { cause?: { code?: string } };
    throw new CommandFailure(`The gateway at ${url.origin} can't be reached (${cause?.code ?? String(error)}).`);
  });
  if (response.ok) return (await response.json()) as T;
  const { detail, title } = (await response.json().catch(() => ({}))) as { detail?: string; title?: string };
  throw new CommandFailure(
    `The gateway at ${url.origin} answered ${response.status} to ${path}: ${detail ?? title ?? 'no reason given.'}`,
  );
}
