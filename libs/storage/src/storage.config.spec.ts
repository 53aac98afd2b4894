import { describe, expect, it } from '@jest/globals';
import { ConfigError, loadConfig } from '#runtime/config.js';
import { attachment } from './content-disposition.js';
import { StorageConfig } from './storage.config.js';

const load = (environment: NodeJS.ProcessEnv): StorageConfig => loadConfig(StorageConfig, environment);

describe('StorageConfig', () => {
  it('needs nothing for the directory', () => {
    expect(load({})).toMatchObject({ S3_ENDPOINT: '', STORAGE_DIRECTORY: '.tallyport/objects', S3_CONCURRENT_PUTS: 2 });
  });

  it('names the keys that an S3 server needs', () => {
    expect(() => load({ S3_ENDPOINT: 'https://s3.example.com' })).toThrow(ConfigError);
    expect(() => load({ S3_ENDPOINT: 'https://s3.example.com', S3_ACCESS_KEY: 'a' })).toThrow(
      'Wrong configuration: S3_SECRET_KEY must be set when S3_ENDPOINT is set.',
    );
    expect(load({ S3_ENDPOINT: 'http://127.0.0.1:9000', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 's' }).S3_BUCKET).toBe(
      'tallyport',
    );
  });

  it.each([
    's3.example.com',
    'https://s3.example.com/path',
    'https://user:word@s3.example.com',
    'ftp://s3.example.com',
  ])('refuses the endpoint %s', (endpoint) => {
    expect(() => load({ S3_ENDPOINT: endpoint, S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 's' })).toThrow(
      'S3_ENDPOINT must be a URL without a path',
    );
  });
});

describe('attachment', () => {
  it.each([
    ['report-2026.csv', 'attachment; filename="report-2026.csv"'],
    [
      'a"; filename="b.exe',
      `attachment; filename="a___filename__b.exe"; filename*=UTF-8''a%22%3B%20filename%3D%22b.exe`,
    ],
    ['a\r\nSet-Cookie: b', `attachment; filename="a__Set-Cookie__b"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20b`],
    ["it's (1)*.csv", `attachment; filename="it_s__1__.csv"; filename*=UTF-8''it%27s%20%281%29%2A.csv`],
    ['\uD800.csv', `attachment; filename="_.csv"; filename*=UTF-8''%EF%BF%BD.csv`],
  ])('names %j safely', (name, header) => {
    expect(attachment(name)).toBe(header);
  });
});
