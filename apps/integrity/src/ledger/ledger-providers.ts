import type { Provider } from '@nestjs/common';
import { configProvider } from '#runtime/config.js';
import { Checkpoints } from './checkpoints.js';
import { LedgerWatch } from './ledger-watch.js';
import { LedgerConfig } from './ledger.config.js';
import { Ledger } from './ledger.js';
import { SigningKeys } from './signing-keys.js';

/** The evidence ledger in a module that has a database, an object store and the outbox of integrity. */
export const LEDGER_PROVIDERS: Provider[] = [
  configProvider(LedgerConfig),
  SigningKeys,
  Ledger,
  Checkpoints,
  LedgerWatch,
];
