import { Logger } from '@nestjs/common';

// Both loggers write to stdout, where only the answer of the command belongs. Imported first: no logger exists yet.
process.env['LOG_LEVEL'] = 'silent';
process.env['LOG_FORMAT'] = 'json';
Logger.overrideLogger(false);
