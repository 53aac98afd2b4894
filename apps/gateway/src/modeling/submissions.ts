import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { v4 as uuidv4 } from 'uuid';
import { AppError, problemOf } from '#contracts/errors.js';
import type { OutboxTransaction } from '#messaging/outbox.js';
import type { Member } from '../access/access.decorators.js';
import { GatewayConfig } from '../gateway.config.js';
import { GatewayOutbox } from '../gateway-outbox.js';
import { idempotencyKeyOf } from '../idempotency/idempotency-key.js';
import { IdempotencyKeys, type FirstResult, type KeyedRequest } from '../idempotency/idempotency-keys.js';
import { receiveJsonBytes, textOf, type JsonBytes } from '../uploads/json-members.js';
import { refusal } from '../waiting/refusal.js';

export interface Submission<T> {
  member: Member;
  request: FastifyRequest;
  endpoint: KeyedRequest['endpoint'];
  /** Of the body; at most 1 MiB. */
  maxBytes: number;
  /** Throws AppError for a body that is refused. */
  read: (body: string) => T;
  create: (transaction: OutboxTransaction, id: string, wanted: T) => Promise<void>;
}

/** Makes what a JSON body asks for, once per Idempotency-Key: key, row and event are one transaction. */
@Injectable()
export class Submissions {
  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    @Inject(GatewayOutbox) private readonly outbox: GatewayOutbox,
    @Inject(IdempotencyKeys) private readonly keys: IdempotencyKeys,
  ) {}

  /** @returns the id of what was made, now or by an earlier request with the same key. It tells no time: files are named by its beginning. */
  async submit<T>(submission: Submission<T>): Promise<string> {
    const { request, maxBytes } = submission;
    const { SLOW_BODY_MS: slowBodyMs, SPOOL_DIRECTORY: spoolDirectory } = this.config;
    const key = idempotencyKeyOf(request);
    const body = await receiveJsonBytes(request.raw, { slowBodyMs, spoolDirectory, maxBytes });
    if (key === undefined) return this.create(submission, body);
    const keyed: KeyedRequest = {
      assetId: submission.member.assetId,
      endpoint: submission.endpoint,
      key,
      bodySha256: body.sha256,
      type: 'json',
    };
    const first = await this.keys.find(keyed);
    return first === undefined ? this.createKeyed(submission, body, keyed) : idOf(first);
  }

  private async create<T>({ read, create }: Submission<T>, body: JsonBytes): Promise<string> {
    const wanted = read(textOf(body));
    const id = uuidv4();
    await this.outbox.transaction((tx) => create(tx, id, wanted));
    return id;
  }

  /** A refusal is remembered too: it is the first result. */
  private async createKeyed<T>({ read, create }: Submission<T>, body: JsonBytes, keyed: KeyedRequest): Promise<string> {
    const id = uuidv4();
    const isTaken = async (): Promise<boolean> => {
      const wanted = read(textOf(body));
      return this.outbox.transaction(async (tx) => {
        if (!(await this.keys.take(keyed, { resourceId: id }, tx.manager))) return false;
        await create(tx, id, wanted);
        return true;
      });
    };
    const taken = await isTaken().catch(async (error: unknown) => {
      if (error instanceof AppError && error.status < 500)
        await this.keys.take(keyed, { problem: problemOf(error.code, error.detail, error.extensions) });
      throw error;
    });
    return taken ? id : idOf(await this.keys.findHeld(keyed));
  }
}

function idOf(first: FirstResult): string {
  if ('problem' in first) throw refusal(first.problem);
  return first.resourceId;
}
