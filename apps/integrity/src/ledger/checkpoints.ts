import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { IntegrityCheckpointSigned } from '#contracts/events/integrity-checkpoint-signed.js';
import type { OutboxTransaction } from '#messaging/outbox.js';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { loggerFor } from '#runtime/logger.js';
import { gauge } from '#runtime/metrics.js';
import { checkpointKey, ObjectStore } from '#storage/object-store.js';
import { IntegrityOutbox } from '../integrity-outbox.js';
import { queryOn, type Query } from '../scoring/query.js';
import { signCheckpoint } from './checkpoint-note.js';
import { CheckpointObjects } from './checkpoint-objects.js';
import {
  checkpointStored,
  dueForCheckpoint,
  insertCheckpoint,
  newestCheckpoints,
  pendingCheckpoints,
} from './checkpoint-table.js';
import { assertGoesOn } from './goes-on.js';
import { freezeLedger, LedgerTamperedError, noteUnsigned } from './ledger-alarm.js';
import { LedgerConfig } from './ledger.config.js';
import { Ledger, LedgerBrokenError, readHead } from './ledger.js';
import { keysOfLog, NoSigningKeyError, signerOfLog } from './log-keys.js';
import { rangeRoot } from './merkle.js';
import { formatVerifierKey } from './signed-note.js';
import { SigningKeys } from './signing-keys.js';

const LOOK_EVERY_MS = 5_000;

/** A checkpoint over all entries of an asset. */
export interface CurrentCheckpoint {
  size: number;
  root: Buffer;
  /** The signed note. */
  note: string;
  /** Verifier keys of the log, newest last. */
  keys: string[];
}

/** Signs checkpoints when they are due or wanted, and brings them out of the database. */
@Injectable()
export class Checkpoints implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = loggerFor('checkpoints');
  private readonly objects: CheckpointObjects;
  private readonly query: Query;
  /** Logs for which there is no key: they are not tried again all the time. */
  private readonly notBefore = new Map<string, number>();
  private readonly stopping = new AbortController();
  private rounds: Promise<void> = Promise.resolve();

  constructor(
    @Inject(DataSource) dataSource: DataSource,
    @Inject(IntegrityOutbox) private readonly outbox: IntegrityOutbox,
    @Inject(ObjectStore) store: ObjectStore,
    @Inject(Ledger) private readonly ledger: Ledger,
    @Inject(SigningKeys) private readonly keys: SigningKeys,
    @Inject(LedgerConfig) private readonly config: LedgerConfig,
  ) {
    this.objects = new CheckpointObjects(store);
    this.query = (sql, parameters) => dataSource.query(sql, parameters);
  }

  /**
   * The newest checkpoint, which covers all entries that were there when this was called; a new one when need be. For
   * exports, before their snapshot is taken.
   *
   * @returns undefined when there is no entry, no key to sign with, or the ledger is broken
   */
  async ensure(assetId: string): Promise<CurrentCheckpoint | undefined> {
    const head = await readHead(this.query, assetId);
    if (head === undefined || head.brokenReason !== null || head.size === 0) return undefined;
    let [newest] = await newestCheckpoints(this.query, assetId, 1);
    if (newest === undefined || newest.size < head.size) {
      await this.sign(assetId);
      [newest] = await newestCheckpoints(this.query, assetId, 1);
    }
    if (newest?.isPending === true) await this.store(assetId);
    if (newest === undefined || newest.size < head.size) return undefined;
    const keys = await keysOfLog(this.query, head.origin);
    return { size: newest.size, root: newest.root, note: newest.note, keys: keys.map(formatVerifierKey) };
  }

  /** Signs what is due, stores what is still to be stored, and freezes what the database refused to go on with. */
  async round(): Promise<void> {
    const { signal } = this.stopping;
    for (const [assetId, reason] of this.ledger.refused) {
      await freezeLedger(this.query, assetId, reason);
      this.ledger.refused.delete(assetId);
    }
    const { CHECKPOINT_INTERVAL_MS, CHECKPOINT_ENTRIES } = this.config;
    for (const assetId of await dueForCheckpoint(this.query, CHECKPOINT_INTERVAL_MS, CHECKPOINT_ENTRIES)) {
      if (signal.aborted) return;
      if ((this.notBefore.get(assetId) ?? 0) <= Date.now()) await this.sign(assetId);
    }
    await this.store();
  }

  onApplicationBootstrap(): void {
    const isMissing = this.keys.current === undefined;
    gauge({ name: 'tallyport_integrity_signing_key_missing', help: '1: no checkpoint can be signed' }).set(
      isMissing ? 1 : 0,
    );
    if (isMissing)
      this.log.error({ event: 'integrity.signing-key.missing' }, 'no checkpoint can be signed: there is no key');
    this.rounds = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.rounds;
  }

  /** Never rejects for what is wrong with the ledger or its key. */
  private async sign(assetId: string): Promise<void> {
    try {
      if (this.keys.current === undefined) throw new NoSigningKeyError('there is no signing key');
      const outside = await this.outside(assetId);
      await this.outbox.transaction((transaction) => this.signIn(transaction, assetId, outside));
    } catch (error) {
      if (error instanceof LedgerTamperedError) await freezeLedger(this.query, assetId, error.message);
      else if (error instanceof NoSigningKeyError) {
        noteUnsigned(assetId, 'no_key', error);
        this.notBefore.set(assetId, Date.now() + this.config.CHECKPOINT_INTERVAL_MS);
      } else if (!(error instanceof LedgerBrokenError)) throw error;
      return;
    }
    await this.store(assetId);
  }

  private async signIn(transaction: OutboxTransaction, assetId: string, outside?: string): Promise<void> {
    const client = (await transaction.queryRunner.connect()) as PoolClient;
    const query = queryOn(client);
    const found = await this.ledger.lock(client, assetId);
    await assertGoesOn(query, assetId, found, await keysOfLog(query, found.origin), outside);
    const { key, head } = await signerOfLog(client, assetId, found, this.keys, this.ledger);
    const { origin, size, range } = head;
    const [newest] = await newestCheckpoints(query, assetId, 1);
    if (size === 0 || newest?.size === size) return;
    const root = rangeRoot(range);
    const note = signCheckpoint({ origin, size, root }, key);
    await insertCheckpoint(query, assetId, { origin, size, root, range, note });
    const event: IntegrityCheckpointSigned = {
      asset_id: assetId,
      size,
      root: root.toString('hex'),
      note,
      key: checkpointKey(assetId, size),
    };
    transaction.emit(IntegrityCheckpointSigned.topic, assetId, event);
  }

  /** A store that is away does not hold up signing: the copy follows. */
  private async outside(assetId: string): Promise<string | undefined> {
    try {
      return await this.objects.newest(assetId);
    } catch (error) {
      if (!isDependencyAway(error)) throw error;
      return undefined;
    }
  }

  private async store(assetId?: string): Promise<void> {
    for (const one of await pendingCheckpoints(this.query, assetId)) {
      try {
        await this.objects.put(one.assetId, one.size, one.note);
        await checkpointStored(this.query, one.assetId, one.size);
      } catch (error) {
        if (error instanceof LedgerTamperedError) {
          await freezeLedger(this.query, one.assetId, error.message);
          continue;
        }
        if (!isDependencyAway(error)) throw error;
        noteUnsigned(one.assetId, 'store_away', error);
        return;
      }
    }
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    const everyMs = Math.min(LOOK_EVERY_MS, this.config.CHECKPOINT_INTERVAL_MS);
    while (await sleep(everyMs, true, { signal, ref: false }).catch(() => false)) {
      await this.round().catch((error: unknown) => {
        this.log.warn({ err: error }, 'checkpoints could not be signed, later again');
      });
    }
  }
}
