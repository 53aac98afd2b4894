import { expectConforms } from './conforms.js';

export interface Ask {
  /** Null: without. */
  token: string | null;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer | ReadableStream;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
  /** Of a problem. */
  code: string | undefined;
}

/** Asks a service and checks the answer against the OpenAPI document. */
export async function askConforming(
  baseUrl: string,
  path: string,
  { token, method = 'GET', headers = {}, body }: Ask,
): Promise<Answer> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { ...(token === null ? {} : { Authorization: `Bearer ${token}` }), ...headers },
    ...(body === undefined ? {} : { body, duplex: 'half' }),
  });
  const checked = await expectConforms(response, method, path);
  const code = (checked as { code?: string } | null)?.code;
  return { status: response.status, headers: response.headers, body: checked, code };
}
