import { setTimeout as sleep } from 'node:timers/promises';
import type { CollectKind, CollectReport, CollectStatus } from '#contracts/collect/collect-report.js';
import type { CostImportReport } from '#contracts/cost-import.js';
import type { GatewayAccess } from '../load-events/gateway-access.js';
import { PieceBuilder, type Piece } from '../load-events/pieces.js';
import { postPiece } from '../load-events/post-piece.js';
import { CommandFailure } from '../session.js';
import { askGateway } from './ask-gateway.js';
import type { DemoShop } from './demo-shop.js';

const LOOK_EVERY_MS = 250;
/** Reporting that does nothing for so long has stopped. */
const STANDSTILL_MS = 120_000;

type Taken = Pick<CollectReport, 'accepted' | 'rejected'>;

export interface LoadedShop {
  costs: CostImportReport;
  events: Taken;
  consent: Taken;
  identities: Taken;
}

/** Told how far it is: the part that is done, 0 to 1, of a step in words. */
export type TellProgress = (part: number, step: string) => void;

/**
 * Loads a shop as any client would: costs as CSV, the rest as collected records, until reporting has finished with all
 * of it. Again with the same seed nothing changes.
 *
 * @throws CommandFailure when the gateway refuses or can't be reached, or when reporting stands still
 */
export async function loadDemoShop(shop: DemoShop, access: GatewayAccess, tell: TellProgress): Promise<LoadedShop> {
  tell(0, 'advertising costs');
  const costs = await askGateway<CostImportReport>(access, '/api/v1/cost-import', {
    method: 'POST',
    body: await shop.costs(),
  });
  const collected = new CollectedPoster(access);
  for (const { day, events } of shop.history()) {
    await collected.add('events', events);
    tell(0, `orders of ${day}`);
  }
  let daysDone = 0;
  for (const { day, events, consents, identities } of shop.days()) {
    await collected.add('identities', identities);
    await collected.add('consent', consents);
    await collected.add('events', events);
    tell(++daysDone / shop.dayCount, `${collected.taken.events.accepted} events, until ${day}`);
  }
  await collected.end();
  await untilProcessed(access, tell);
  return { costs, ...collected.taken };
}

/** Posts records in pieces that the gateway takes. */
class CollectedPoster {
  readonly taken: Record<CollectKind, Taken> = {
    events: { accepted: 0, rejected: 0 },
    consent: { accepted: 0, rejected: 0 },
    identities: { accepted: 0, rejected: 0 },
  };
  private readonly builders: Record<CollectKind, PieceBuilder> = {
    events: new PieceBuilder(),
    consent: new PieceBuilder(),
    identities: new PieceBuilder(),
  };

  constructor(private readonly access: GatewayAccess) {}

  async add(kind: CollectKind, records: readonly object[]): Promise<void> {
    for (const [index, record] of records.entries()) {
      await this.post(kind, this.builders[kind].add(Buffer.from(JSON.stringify(record)), index));
    }
  }

  /** Posts what is left. */
  async end(): Promise<void> {
    for (const kind of ['identities', 'consent', 'events'] as const) await this.post(kind, this.builders[kind].take());
  }

  private async post(kind: CollectKind, piece: Piece | undefined): Promise<void> {
    if (piece === undefined) return;
    const { accepted, rejected } = await postPiece(this.access, kind, piece.body);
    this.taken[kind].accepted += accepted;
    this.taken[kind].rejected += rejected;
  }
}

async function untilProcessed(access: GatewayAccess, tell: TellProgress): Promise<void> {
  let movedAt = performance.now();
  let before = -1;
  for (;;) {
    const { accepted, processed, pending } = await askGateway<CollectStatus>(access, '/api/v1/collect/status');
    tell(accepted === 0 ? 1 : processed / accepted, `reporting: ${processed} of ${accepted} records`);
    if (pending === 0) return;
    if (processed !== before) movedAt = performance.now();
    before = processed;
    if (performance.now() - movedAt > STANDSTILL_MS)
      throw new CommandFailure(
        `Reporting stands still with ${pending} records to go: is it running, and is there anything in \`tallyport dlq list\`?`,
      );
    await sleep(LOOK_EVERY_MS);
  }
}
