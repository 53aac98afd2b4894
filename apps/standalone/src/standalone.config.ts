import { IsIn, IsString } from 'class-validator';
import { Setting } from '#runtime/config.js';

/** The embedded mode: everything in one process, its state in one directory. */
export class StandaloneConfig {
  @Setting('Directory of all state of the embedded mode')
  @IsString()
  TALLYPORT_HOME = '.tallyport';

  @Setting('Embedded mode: log lines for people or for machines')
  @IsIn(['text', 'json'])
  LOG_FORMAT = 'text';
}
