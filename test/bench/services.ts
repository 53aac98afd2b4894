import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '#deploy/stack/fetch.js';
import { ensureCredentials, tallyport, type Credentials } from '#deploy/stack/first-start.js';
import { startInfrastructure } from '#deploy/stack/infrastructure.js';
import { answersOk } from '#deploy/stack/minio.js';
import { freePorts, launch, prepareWorkplace, waitUntilReady, type Running } from '#deploy/stack/processes.js';
import { builtApp, serviceArguments } from '#deploy/stack/services.js';
import { type Ending, temporaryFolder } from './ending.js';

/** What no benchmark asks about. */
const SETTINGS = {
  LOG_LEVEL: 'warn',
  RATE_LIMIT_IMPORTS_PER_MINUTE: '1000000',
  RATE_LIMIT_EXPORTS_PER_MINUTE: '1000000',
  IMPORT_QUEUED_PER_ASSET: '1000',
};

/** The embedded mode as `npm start` runs it, in a process of its own with fresh state. */
export async function startStandalone(ending: Ending): Promise<Credentials> {
  const folder = await temporaryFolder(ending);
  const home = join(folder, 'home');
  const env = { ...SETTINGS, TALLYPORT_HOME: home, PORT: '0' };
  const running = launch(
    { name: 'standalone', command: process.execPath, args: [builtApp('standalone')], env },
    prepareWorkplace(folder),
  );
  ending.add(() => running.stop());
  const file = join(home, 'credentials.json');
  await waitUntilReady('The embedded mode', running, () => Promise.resolve(existsSync(file)));
  return JSON.parse(readFileSync(file, 'utf8')) as Credentials;
}

/** Our services as processes on real Kafka, MinIO and PostgreSQL with fresh data. */
export class BenchStack {
  private constructor(
    readonly env: Record<string, string>,
    readonly credentials: Credentials,
    readonly folder: string,
    private readonly gatewayPort: number,
    private readonly ending: Ending,
  ) {}

  static async start(ending: Ending): Promise<BenchStack> {
    const folder = await temporaryFolder(ending);
    const infrastructure = await startInfrastructure({
      home: process.env['TALLYPORT_STACK_HOME'] ?? join(projectRoot(), '.stack'),
      dataDir: folder,
      say: (line) => process.stderr.write(`${line}\n`),
    });
    ending.add(() => infrastructure.stop());
    const { env } = infrastructure;
    await tallyport(['migrate'], { ...env });
    await tallyport(['topics', 'ensure'], { ...env });
    const [port = 0] = await freePorts(1);
    const credentials = await ensureCredentials(join(folder, 'credentials.json'), `http://127.0.0.1:${port}`, {
      ...env,
    });
    return new BenchStack({ ...env }, credentials, folder, port, ending);
  }

  /** Returns when the service is ready. */
  async service(name: 'gateway' | 'import-worker' | 'reporting' | 'integrity' | 'mmm-lift'): Promise<Running> {
    const [spare = 0] = await freePorts(1);
    const port = name === 'gateway' ? this.gatewayPort : spare;
    const env = { ...this.env, ...SETTINGS, PORT: String(port), SPOOL_DIRECTORY: join(this.folder, 'spool') };
    const running = launch(
      { name, command: process.execPath, args: serviceArguments(name), env },
      prepareWorkplace(this.folder),
    );
    this.ending.add(() => running.stop());
    await waitUntilReady(name, running, () => answersOk(`http://127.0.0.1:${port}/health/ready`));
    return running;
  }
}
