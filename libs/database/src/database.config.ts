import { IsInt, IsUrl, Max, Min } from 'class-validator';
import { Setting } from '#runtime/config.js';

export class DatabaseConfig {
  @Setting('PostgreSQL, as a URL', { secret: true })
  @IsUrl(
    { protocols: ['postgres', 'postgresql'], require_tld: false, require_protocol: true },
    { message: 'DATABASE_URL must be a postgresql:// URL' },
  )
  DATABASE_URL: string;

  @Setting('Connections that a process holds at most')
  @IsInt()
  @Min(2)
  @Max(200)
  DATABASE_POOL_SIZE = 10;
}
