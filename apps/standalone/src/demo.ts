import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { dayBefore } from '#apps/cli/src/demo-shop/calendar.js';
import { demoShop, type DemoShop } from '#apps/cli/src/demo-shop/demo-shop.js';
import { loadDemoShop } from '#apps/cli/src/demo-shop/load-demo-shop.js';
import type { GatewayAccess } from '#apps/cli/src/load-events/gateway-access.js';
import { table } from '#apps/cli/src/table.js';
import { localDay } from '#contracts/local-day.js';
import { runProcess } from '#runtime/bootstrap.js';
import { ConfigError } from '#runtime/config.js';
import { loggerFor } from '#runtime/logger.js';
import type { Credentials } from './credentials.js';
import { indent, showCostImport } from './demo-costs.js';
import { demoPaths, downloadFile, firstLines, type DemoFile } from './demo-files.js';
import { scored, worstEntity } from './demo-integrity.js';
import { fitModels, modelIds, modelText } from './demo-models.js';
import { showProgress } from './demo-progress.js';
import { startEmbedded, type Embedded } from './embedded.js';
import { stopWhenAsked } from './stop-when-asked.js';

/** Of the first asset of the embedded mode. */
const TIMEZONE = 'UTC';
const CURRENCY = 'USD';
/** Files whose first lines are shown, by their path, and how many. */
const SHOWN = [
  { path: '/api/v1/export/channels.csv?', lines: 5 },
  { path: '/api/v1/events/raw?', lines: 3 },
  { path: '/api/v1/integrity/evidence/refund.csv?', lines: 3 },
  { path: '/api/v1/mmm/runs/', lines: 5 },
];

const OPTIONS = {
  keep: { type: 'boolean', default: false },
  out: { type: 'string', default: '.tallyport/demo-files' },
  seed: { type: 'string', default: '1' },
  weeks: { type: 'string', default: '13' },
  history: { type: 'string', default: '91' },
} as const;
const options = givenOptions();

await runProcess('demo', async () => {
  process.env['LOG_LEVEL'] ||= 'warn';
  process.env['LOG_FORMAT'] ||= 'text';
  const shop = chooseShop();
  const home = mkdtempSync(join(tmpdir(), 'tallyport-demo-'));
  const removeHome = (): void => {
    rmSync(home, { recursive: true, force: true });
  };
  say('Starting Tallyport with a PostgreSQL of its own …');
  const embedded = await startEmbedded({ home, port: 0, host: '127.0.0.1' }).catch((error: unknown) => {
    removeHome();
    throw error;
  });
  const stop = stopWhenAsked(embedded, removeHome);
  try {
    await show(embedded, shop, resolve(options.out));
  } catch (error) {
    loggerFor('demo').fatal({ err: error }, 'the demo failed');
    await stop(1);
  }
  if (!options.keep) await stop(0);
  say(
    `It stays up at ${embedded.credentials.base_url}; credentials are in ${join(home, 'credentials.json')}.\n` +
      'Ctrl-C stops it and removes its data; the files stay.',
  );
});

function givenOptions() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    const known = Object.keys(OPTIONS).map((name) => `--${name}`);
    process.stderr.write(`${(error as Error).message}. The demo takes ${known.join(', ')}.\n`);
    process.exit(2);
  }
}

/** @throws ConfigError when it can't be made from the options */
function chooseShop(): DemoShop {
  const [seed, weeks, historyWeeks] = [options.seed, options.weeks, options.history].map(Number) as [
    number,
    number,
    number,
  ];
  const until = dayBefore(localDay(TIMEZONE, new Date()));
  try {
    return demoShop({ seed, weeks, historyWeeks, until, timezone: TIMEZONE, currency: CURRENCY });
  } catch (error) {
    throw error instanceof RangeError ? new ConfigError(error.message) : error;
  }
}

/** Everything over HTTP, like any client: files of costs in, a whole shop in, every file out. */
async function show({ credentials }: Embedded, shop: DemoShop, folder: string): Promise<void> {
  const { base_url: baseUrl, asset_id: assetId, token } = credentials;
  say(`It listens on ${baseUrl}.\n`);
  await showCostImport(baseUrl, token, say);
  await load(shop, { url: baseUrl, token, assetId });
  await download(shop, credentials, folder);
}

async function load(shop: DemoShop, access: GatewayAccess): Promise<void> {
  say(`\nA shop that never was, ${shop.from} to ${shop.to}: costs as CSV, the rest as a collector would send it.`);
  const progress = showProgress(process.stdout);
  const started = performance.now();
  const { costs, events, consent, identities } = await loadDemoShop(shop, access, progress.tell);
  progress.end();
  say(
    `→ ${costs.total} rows of costs, ${events.accepted} events, ${consent.accepted} consent records, ` +
      `${identities.accepted} identities, in reports after ${Math.round((performance.now() - started) / 1_000)} s.`,
  );
}

async function download(shop: DemoShop, credentials: Credentials, folder: string): Promise<void> {
  const { base_url: baseUrl, token } = credentials;
  say('\nLooking for invalid traffic …');
  await scored(baseUrl, token);
  const entity = await worstEntity(baseUrl, token, shop);
  say('\nEvaluating a lift test and fitting a marketing mix model over two years of orders …');
  const models = await fitModels(shop, credentials);
  say(indent(modelText(models, shop)));
  const ids = { entity, ...modelIds(models) };
  say(`\nEvery file that can be downloaded, into ${folder}:`);
  const files: DemoFile[] = [];
  for (const path of demoPaths(shop, ids)) files.push(await downloadFile(baseUrl, path, token, folder));
  const rows = files.map(({ name, rows, bytes, path }) => [
    name,
    String(rows),
    String(bytes),
    path.replace(/\?.*/, ''),
  ]);
  say(indent(table(['FILE', 'ROWS', 'BYTES', 'FROM'], rows)));
  for (const { path, lines } of SHOWN) {
    const file = files.find((one) => one.path.startsWith(path));
    if (file !== undefined)
      say(`\n${file.name} begins with\n${indent(await firstLines(join(folder, file.name), lines))}`);
  }
  say(`\nThe ${files.length} files are in ${folder}.`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
