import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Controller, Get, Header, Headers, Inject, Param, Query, Res, StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppError } from '#contracts/errors.js';
import { Public } from '#runtime/public.decorator.js';
import { byteRange } from './byte-range.js';
import { isNamedBy } from './if-none-match.js';
import { attachment } from './content-disposition.js';
import { DirectoryStore } from './directory.store.js';
import { isSigned, type DownloadGrant } from './download-link.js';
import { DownloadQuery } from './download.dto.js';
import { assertObjectKey, ObjectNotFoundError, ObjectStore } from './object-store.js';

/** What a presigned URL of an S3 server does, for the directory store. The link is the credential: no token is needed. */
@Controller('files')
export class DirectoryDownloadController {
  private readonly directory: DirectoryStore | undefined;

  constructor(@Inject(ObjectStore) store: ObjectStore) {
    this.directory = store instanceof DirectoryStore ? store : undefined;
  }

  /** An S3 server serves its links itself; then there is nothing here. */
  private get store(): DirectoryStore {
    if (this.directory === undefined) throw notFound();
    return this.directory;
  }

  @Get('*')
  @Public('the signature of the link is the credential')
  @Header('X-Content-Type-Options', 'nosniff')
  @Header('Cache-Control', 'private, no-store')
  @Header('Accept-Ranges', 'bytes')
  async download(
    @Param('*') path: string,
    @Query() query: DownloadQuery,
    @Headers('range') rangeHeader: string | undefined,
    @Headers('if-range') ifRange: string | undefined,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile | Readable> {
    const grant = await this.granted(path, query);
    const found = await this.store.stat(grant.key);
    if (found === undefined) throw notFound();
    const etag = etagOf(grant.key);
    if (isNamedBy(ifNoneMatch, etag)) {
      void reply.status(304).header('ETag', etag);
      return Readable.from([]);
    }
    const range = ifRange === undefined || ifRange === etag ? byteRange(rangeHeader, found.bytes) : undefined;
    if (range === 'outside') {
      throw new AppError('range_not_satisfiable', `The file has ${found.bytes} bytes.`, {
        headers: { 'Content-Range': `bytes */${found.bytes}` },
      });
    }
    const stream = await this.store.get(grant.key, range ?? {}).catch((error: unknown) => {
      throw error instanceof ObjectNotFoundError ? notFound() : error;
    });
    void reply.header('ETag', etag);
    if (range !== undefined)
      void reply.status(206).header('Content-Range', `bytes ${range.from}-${range.to}/${found.bytes}`);
    const length = range === undefined ? found.bytes : range.to - range.from + 1;
    return new StreamableFile(stream, { type: grant.type, disposition: attachment(grant.name), length });
  }

  /** The signature is looked at before the time, so that only a link that was once good is told that it has expired. */
  private async granted(key: string, { expires, name, type, signature }: DownloadQuery): Promise<DownloadGrant> {
    if (expires === undefined || name === undefined || type === undefined || signature === undefined) throw notFound();
    const grant = { key, expires: Number(expires), name, type };
    if (String(grant.expires) !== expires || !isSigned(await this.store.linkSecret(), grant, signature))
      throw notFound();
    if (Date.now() >= grant.expires * 1000)
      throw new AppError('expired', 'The download link has expired; ask for a new one.');
    assertObjectKey(key);
    return grant;
  }
}

/** Of the key: what is stored under one is never replaced by something else. */
function etagOf(key: string): string {
  return `"${createHash('sha256').update(key).digest('base64url')}"`;
}

function notFound(): AppError {
  return new AppError('not_found', 'There is no such file, or the link is not valid.');
}
