import type { Provider, Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ExportService } from '#contracts/exports.js';
import type { Outbox } from '#messaging/outbox.js';
import { configProvider } from '#runtime/config.js';
import { ObjectStore } from '#storage/object-store.js';
import type { ExportDefinition } from './export-definition.js';
import { ExportHousekeeping } from './export-housekeeping.js';
import { ExportRunner } from './export-runner.js';
import { ExportConfig } from './export.config.js';
import { HousekeepingConfig } from './housekeeping.config.js';
import { JobConfig } from './job.config.js';

/** Definitions that are made of parts of their service. */
export interface DefinitionsFactory {
  inject: readonly (Type | AbstractType)[];
  make(...parts: never[]): readonly ExportDefinition[];
}

type AbstractType = abstract new (...args: never[]) => unknown;

/**
 * What a service needs to write files, beside a consumer that wakes its `ExportRunner`. The module provides JobConfig,
 * HousekeepingConfig and the outbox already.
 */
export function exportProviders(
  service: ExportService,
  definitions: readonly ExportDefinition[] | DefinitionsFactory,
  outboxType: Type<Outbox>,
): Provider[] {
  return [
    configProvider(ExportConfig),
    {
      provide: ExportRunner,
      inject: [
        DataSource,
        outboxType,
        ObjectStore,
        ExportConfig,
        JobConfig,
        ...('inject' in definitions ? definitions.inject : []),
      ],
      useFactory: (
        dataSource: DataSource,
        outbox: Outbox,
        objects: ObjectStore,
        config: ExportConfig,
        jobs: JobConfig,
        ...parts: never[]
      ) => {
        const list = 'inject' in definitions ? definitions.make(...parts) : definitions;
        return new ExportRunner({ service, definitions: list, dataSource, outbox, objects, config, jobs });
      },
    },
    {
      provide: ExportHousekeeping,
      inject: [ExportRunner, ExportConfig, HousekeepingConfig],
      useFactory: (runner: ExportRunner, config: ExportConfig, housekeeping: HousekeepingConfig) =>
        new ExportHousekeeping(runner, config, housekeeping),
    },
  ];
}
