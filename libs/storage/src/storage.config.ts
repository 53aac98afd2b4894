import { IsInt, IsNotEmpty, IsString, Matches, Max, Min, ValidateIf } from 'class-validator';
import { Setting } from '#runtime/config.js';

const ORIGIN = /^(https?:\/\/[^/?#@\s]+\/?)?$/;
const AN_ORIGIN = { message: 'must be a URL without a path, such as https://s3.example.com' };

function overS3(config: StorageConfig): boolean {
  return config.S3_ENDPOINT !== '';
}

/** Where objects are kept. Without `S3_ENDPOINT` they are files in `STORAGE_DIRECTORY`. */
export class StorageConfig {
  @Setting('URL of the S3 server; empty: objects are files in `STORAGE_DIRECTORY`')
  @Matches(ORIGIN, AN_ORIGIN)
  S3_ENDPOINT = '';

  @Setting('URL of the S3 server as clients see it, for download links; empty: `S3_ENDPOINT`')
  @Matches(ORIGIN, AN_ORIGIN)
  S3_PUBLIC_ENDPOINT = '';

  @Setting('Access key of the S3 server')
  @ValidateIf(overS3)
  @IsNotEmpty({ message: 'must be set when S3_ENDPOINT is set' })
  S3_ACCESS_KEY = '';

  @Setting('Secret key of the S3 server', { secret: true })
  @ValidateIf(overS3)
  @IsNotEmpty({ message: 'must be set when S3_ENDPOINT is set' })
  S3_SECRET_KEY = '';

  @Setting('Bucket; it holds nothing but our objects')
  @Matches(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { message: 'must be a bucket name (3-63 of a-z, 0-9, dot, hyphen)' })
  S3_BUCKET = 'tallyport';

  @Setting('Region of the bucket')
  @IsNotEmpty({ message: 'must not be empty' })
  S3_REGION = 'us-east-1';

  @Setting('Files that one process puts at a time; each holds two parts of 5 MiB in memory')
  @IsInt()
  @Min(1)
  @Max(64)
  S3_CONCURRENT_PUTS = 2;

  @Setting('Longest time a put may take, its wait for a turn included, and a second more for each MB')
  @IsInt()
  @Min(1000)
  S3_PUT_DEADLINE_MS = 120_000;

  @Setting('Silence after which the S3 server counts as away')
  @IsInt()
  @Min(100)
  S3_TIMEOUT_MS = 30_000;

  @Setting('Directory of the objects when there is no S3 server')
  @IsString()
  @IsNotEmpty({ message: 'must not be empty' })
  STORAGE_DIRECTORY = '.tallyport/objects';

  @Setting('Days that finished export files are kept')
  @IsInt()
  @Min(1)
  STORAGE_EXPORT_DAYS = 7;

  @Setting('Days that uploaded import files are kept')
  @IsInt()
  @Min(1)
  STORAGE_IMPORT_DAYS = 30;

  @Setting('URL of the gateway as clients see it, for links')
  @Matches(/^https?:\/\/[^?#\s]+$/, { message: 'must be a URL such as https://tallyport.example.com' })
  BASE_URL = 'http://127.0.0.1:8080';
}
