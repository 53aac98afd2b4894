import type { BatchMessage } from '#messaging/batch-consumer.js';
import type { DeadLetterRecords } from '#messaging/dead-letter-records.js';
import type { KnownAssets } from './known-assets.js';
import type { CollectedMessage, Refuse } from './collected-message.js';

/** What the three collected topics carry. */
export interface CollectedData {
  asset_id: string;
  records: unknown[];
}

/** Messages of one asset in the order they came; both lists have the same order. */
export interface BatchOfAsset {
  messages: BatchMessage<CollectedData>[];
  collected: CollectedMessage[];
}

/**
 * By asset. All assets are looked for before anything is done: were one found missing behind others, the batch would be
 * handled again, and dead letters written twice.
 *
 * @throws UnknownAssetError
 */
export async function collectedMessages(
  messages: readonly BatchMessage<CollectedData>[],
  assets: KnownAssets,
): Promise<Map<string, BatchOfAsset>> {
  const groups = new Map<string, BatchOfAsset>();
  for (const message of messages) {
    const { id, source, data } = message;
    let group = groups.get(data.asset_id);
    if (group === undefined) groups.set(data.asset_id, (group = { messages: [], collected: [] }));
    group.messages.push(message);
    group.collected.push({ id, source, records: data.records });
  }
  for (const assetId of groups.keys()) await assets.require(assetId);
  return groups;
}

/** Sends bad records to the dead letters. */
export function refuseTo(deadLetters: DeadLetterRecords, messages: readonly BatchMessage<CollectedData>[]): Refuse {
  return async (place, bad) => {
    const message = messages[place];
    if (message !== undefined) await deadLetters.records(message, bad);
  };
}
