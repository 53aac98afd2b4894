import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DataSource } from 'typeorm';
import { AppError } from '#contracts/errors.js';

const WINDOW_SECONDS = 60;

/** Requests per minute, counted in the database so that several gateways share one limit. */
@Injectable()
export class RateLimiter {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /**
   * Counts one request of `subject` and says so in the `RateLimit` headers.
   *
   * @throws AppError `rate_limited` with `Retry-After`
   */
  async take(policy: string, subject: string, limit: number, reply: FastifyReply): Promise<void> {
    const [row] = await this.dataSource.query<{ requests: number; seconds_left: number }[]>(
      `INSERT INTO access.rate_window (subject, window_start, requests) VALUES ($1, date_trunc('minute', now()), 1)
       ON CONFLICT (subject, window_start) DO UPDATE SET requests = rate_window.requests + 1
       RETURNING requests, ceil(extract(epoch FROM window_start + interval '1 minute' - now()))::int AS seconds_left`,
      [`${policy}:${subject}`],
    );
    const { requests, seconds_left: secondsLeft } = row ?? { requests: 1, seconds_left: WINDOW_SECONDS };
    reply.header('RateLimit-Policy', `"${policy}";q=${limit};w=${WINDOW_SECONDS}`);
    reply.header('RateLimit', `"${policy}";r=${Math.max(0, limit - requests)};t=${secondsLeft}`);
    if (requests > limit) {
      throw new AppError('rate_limited', `At most ${limit} a minute.`, {
        headers: { 'Retry-After': String(Math.max(1, secondsLeft)) },
      });
    }
  }

  /** Windows that are over; returns how many were removed. */
  async removeOld(): Promise<number> {
    const [, removed] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM access.rate_window WHERE window_start < now() - interval '5 minutes'`,
    );
    return removed;
  }
}
