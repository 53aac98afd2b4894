import type { InfrastructureEnv } from '#deploy/stack/infrastructure.js';

/** The Kafka, MinIO and PostgreSQL that the global setup of the stack tests has started. */
export const stack: { env: InfrastructureEnv } = {
  get env() {
    const env = process.env['TALLYPORT_STACK_ENV'];
    if (env === undefined) throw new Error('TALLYPORT_STACK_ENV is not set: run the stack tests by npm run test:stack');
    return JSON.parse(env) as InfrastructureEnv;
  },
};
