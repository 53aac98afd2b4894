import { IsInt, IsString, Max, Min } from 'class-validator';
import { Setting } from './config.js';

export class HttpConfig {
  @Setting('Port of the HTTP server; 0 takes a free one')
  @IsInt()
  @Min(0)
  @Max(65_535)
  PORT = 8080;

  @Setting('Address that the HTTP server listens on')
  @IsString()
  HOST = '127.0.0.1';
}
