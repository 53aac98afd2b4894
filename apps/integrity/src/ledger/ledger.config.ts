import { IsInt, IsString, Matches, Max, Min } from 'class-validator';
import { Setting } from '#runtime/config.js';

export class LedgerConfig {
  @Setting('Begins the names of logs that start from now on, as of files')
  @Matches(/^[a-z][a-z0-9-]{0,30}$/)
  SERVICE_NAME = 'tallyport';

  @Setting(
    'Private Ed25519 key that signs checkpoints: PKCS#8 PEM (`\\n` for line breaks) or the text of C2SP signed-note',
    {
      secret: true,
    },
  )
  @IsString()
  INTEGRITY_SIGNING_KEY = '';

  @Setting('File with that key, read once; `INTEGRITY_SIGNING_KEY` wins')
  @IsString()
  INTEGRITY_SIGNING_KEY_FILE = '';

  @Setting('The key before, while a rotation has not reached every asset', { secret: true })
  @IsString()
  INTEGRITY_SIGNING_KEY_PREVIOUS = '';

  @Setting('File with the key before')
  @IsString()
  INTEGRITY_SIGNING_KEY_PREVIOUS_FILE = '';

  @Setting('Time between two checkpoints of a ledger that grows, in milliseconds')
  @IsInt()
  @Min(1000)
  CHECKPOINT_INTERVAL_MS = 300_000;

  @Setting('New entries of a ledger after which a checkpoint does not wait')
  @IsInt()
  @Min(1)
  CHECKPOINT_ENTRIES = 1_000;

  @Setting('Hour of the day, in UTC, in which all ledgers are verified from the first entry')
  @IsInt()
  @Min(0)
  @Max(23)
  LEDGER_VERIFY_HOUR = 3;

  @Setting('Days that sample addresses are kept; after that entries hold nothing but commitments')
  @IsInt()
  @Min(1)
  SAMPLE_IP_RETENTION_DAYS = 90;
}
