import { IsBoolean, IsIn, IsInt, IsString, Matches, Max, Min } from 'class-validator';
import { Setting } from '#runtime/config.js';

export class MessagingConfig {
  @Setting('Kafka brokers, `host:port` separated by commas; without it events stay inside the process')
  @Matches(/^([\w.-]+:\d+(, *[\w.-]+:\d+)*)?$/, {
    message: 'KAFKA_BROKERS must be host:port, several separated by commas',
  })
  KAFKA_BROKERS = '';

  @Setting('Name of this client in the logs of the broker')
  @IsString()
  KAFKA_CLIENT_ID = 'tallyport';

  @Setting('Encrypt the connection to Kafka')
  @IsBoolean()
  KAFKA_TLS = false;

  @Setting('`plain`, `scram-sha-256` or `scram-sha-512`; without it there is no login')
  @IsIn(['', 'plain', 'scram-sha-256', 'scram-sha-512'])
  KAFKA_SASL_MECHANISM: '' | 'plain' | 'scram-sha-256' | 'scram-sha-512' = '';

  @Setting('User for Kafka')
  @IsString()
  KAFKA_SASL_USERNAME = '';

  @Setting('Password for Kafka', { secret: true })
  @IsString()
  KAFKA_SASL_PASSWORD = '';

  @Setting('Copies that `topics ensure` asks of the brokers for each topic')
  @IsInt()
  @Min(1)
  @Max(9)
  KAFKA_REPLICATION_FACTOR = 1;
}
