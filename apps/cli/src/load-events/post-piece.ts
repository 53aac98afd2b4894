import { setTimeout as sleep } from 'node:timers/promises';
import { COLLECT_MEDIA_TYPE, type CollectKind, type CollectReport } from '#contracts/collect/collect-report.js';
import { CommandFailure } from '../session.js';
import type { GatewayAccess } from './gateway-access.js';

const ATTEMPTS = 5;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
/** Longer than a gateway waits for its broker. */
const ANSWER_WITHIN_MS = 120_000;
/** Busy, away, or a proxy in between that does not reach the gateway. */
const PASSING = new Set([429, 502, 503, 504]);

/**
 * Posts one body of NDJSON. What passes by is tried again, after `Retry-After` where it is said: records that came
 * before change nothing.
 *
 * @throws CommandFailure when the gateway refuses, or can't be reached after some tries
 */
export async function postPiece(access: GatewayAccess, kind: CollectKind, body: Buffer): Promise<CollectReport> {
  const url = new URL(`${access.url.replace(/\/+$/, '')}/api/v1/collect/${kind}`);
  if (access.assetId !== undefined) url.searchParams.set('asset_id', access.assetId);
  for (let attempt = 1; ; attempt++) {
    const answer = await post(url, access.token, body);
    if ('report' in answer) return answer.report;
    if (!answer.passing || attempt === ATTEMPTS) throw new CommandFailure(answer.reason);
    await sleep(Math.min(answer.waitMs ?? FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS));
  }
}

type Answer = { report: CollectReport } | { reason: string; passing: boolean; waitMs?: number };

async function post(url: URL, token: string, body: Buffer): Promise<Answer> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': COLLECT_MEDIA_TYPE },
      body: new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.length),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    text = await response.text();
  } catch (error) {
    return { reason: `The gateway at ${url.origin} can't be reached (${causeOf(error)}).`, passing: true };
  }
  if (response.status === 202) return { report: JSON.parse(text) as CollectReport };
  const seconds = Number(response.headers.get('retry-after') ?? NaN);
  return {
    reason: `The gateway at ${url.origin} answered ${response.status}: ${detailOf(text)}`,
    passing: PASSING.has(response.status),
    ...(seconds >= 0 ? { waitMs: seconds * 1000 } : {}),
  };
}

function causeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown; message?: string } };
  if (typeof cause?.code === 'string') return cause.code;
  return cause?.message ?? (error instanceof Error ? error.message : String(error));
}

/** What a problem says; of anything else nothing is shown, it may be a page of a proxy. */
function detailOf(text: string): string {
  try {
    const { detail, title } = JSON.parse(text) as { detail?: string; title?: string };
    return detail ?? title ?? 'no reason given.';
  } catch {
    return 'no reason given.';
  }
}
