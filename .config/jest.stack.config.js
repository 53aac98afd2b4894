import config from './jest.config.js';

/** The tests on real parts: Kafka, MinIO, PostgreSQL, and the built services as processes. */
export default {
  ...config,
  testMatch: ['<rootDir>/test/stack/**/*.spec.ts'],
  globalSetup: '<rootDir>/test/stack/global-setup.ts',
  globalTeardown: '<rootDir>/test/stack/global-teardown.ts',
  testTimeout: 120_000,
  maxWorkers: 1,
};
