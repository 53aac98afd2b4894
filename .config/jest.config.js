const libraries = 'csv|contracts|runtime|database|messaging|storage|jobs|ingest|postgres-server';

/** Runs the TypeScript sources as ES modules; start it with NODE_OPTIONS=--experimental-vm-modules. */
export default {
  rootDir: '..',
  testEnvironment: 'node',
  testMatch: [
    '<rootDir>/(apps|libs|deploy)/**/*.spec.ts',
    '<rootDir>/test/(architecture|integration|sim)/**/*.spec.ts',
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    [`^#(${libraries})/(.*)\\.js$`]: '<rootDir>/libs/$1/src/$2.ts',
    '^#(apps|deploy)/(.*)\\.js$': '<rootDir>/$1/$2.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        module: { type: 'es6' },
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
      },
    ],
  },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testTimeout: 60_000,
};
