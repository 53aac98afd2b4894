import { IsOptional, IsString } from 'class-validator';

/** The parts of a signed link; without any of them there is no file. */
export class DownloadQuery {
  /** Seconds since 1970. */
  @IsOptional()
  @IsString()
  expires?: string;

  @IsOptional()
  @IsString()
  name?: string;

  @IsOptional()
  @IsString()
  type?: string;

  @IsOptional()
  @IsString()
  signature?: string;
}
