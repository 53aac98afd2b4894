import { setTimeout as sleep } from 'node:timers/promises';

const SETTLE_MS = 300_000;

interface Status {
  pending_events: number;
  dirty_networks: number;
  scored_through: string | null;
}

/**
 * Waits until everything that was collected is scored.
 *
 * @throws Error when that takes five minutes
 */
export async function scored(baseUrl: string, token: string): Promise<void> {
  for (const end = Date.now() + SETTLE_MS; Date.now() < end;) {
    const { pending_events, dirty_networks, scored_through } = (await ask(baseUrl, token, 'status')) as Status;
    if (pending_events === 0 && dirty_networks === 0 && scored_through !== null) return;
    await sleep(250);
  }
  throw new Error('Scoring has not ended after five minutes.');
}

/** The entity that is most likely invalid traffic; undefined when nothing was found. */
export async function worstEntity(
  baseUrl: string,
  token: string,
  { from, to }: { from: string; to: string },
): Promise<string | undefined> {
  const list = await ask(baseUrl, token, `entities?from=${from}&to=${to}&limit=1`);
  return (list as { items: { entity_id: string }[] }).items[0]?.entity_id;
}

async function ask(baseUrl: string, token: string, path: string): Promise<unknown> {
  const response = await fetch(`${baseUrl}/api/v1/integrity/${path}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
