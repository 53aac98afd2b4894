import { InvalidArgumentError, type Command } from 'commander';
import { AccessAdmin, type AssetRecord } from '#apps/gateway/src/access/access-admin.js';
import { localDay } from '#contracts/local-day.js';
import { dayBefore } from './demo-shop/calendar.js';
import { demoShop, HIGHEST_SEED, MOST_WEEKS, type DemoShop, type DemoShopOptions } from './demo-shop/demo-shop.js';
import { loadDemoShop, type LoadedShop } from './demo-shop/load-demo-shop.js';
import { gatewayAccess, type GatewayAccess } from './load-events/gateway-access.js';
import { ProgressBar } from './load-events/progress-bar.js';
import { CommandFailure, type Session } from './session.js';
import { withDatabase } from './with-database.js';

const DEFAULT_SEED = 1;
const DEFAULT_WEEKS = 13;
/** With those, two years. */
const DEFAULT_HISTORY = 91;
const BAR_STEPS = 1_000;

interface DemoOptions {
  seed: number;
  weeks: number;
  history: number;
  asset?: string;
  json?: boolean;
}

export function addDemoCommand(tallyport: Command, session: Session): void {
  session
    .command(tallyport, 'demo', 'fill an asset with a shop that never was: costs, events, consent, users')
    .option('--seed <number>', 'another number, another shop', wholeUpTo(HIGHEST_SEED), DEFAULT_SEED)
    .option('--weeks <count>', 'weeks that end yesterday', wholeUpTo(MOST_WEEKS), DEFAULT_WEEKS)
    .option(
      '--history <count>',
      'weeks before those, of which only costs and orders are loaded, for the models',
      wholeUpTo(MOST_WEEKS, 0),
      DEFAULT_HISTORY,
    )
    .option('--asset <id>', 'the asset; not needed when credentials.json names one')
    .addHelpText(
      'after',
      '\nLoads over HTTP, with TALLYPORT_URL and TALLYPORT_TOKEN, else credentials.json in TALLYPORT_HOME, and waits' +
        '\nuntil reports show it. The same seed again changes nothing; on a later day it adds the days since.',
    )
    .action(
      session.answer(async (options: DemoOptions) => {
        const access = gatewayAccess(options.asset === undefined ? {} : { asset: options.asset }, session.env);
        const asset = await findAsset(session.env, access.assetId);
        const { name, timezone, currency } = asset;
        const { seed, weeks, history } = options;
        const until = dayBefore(localDay(timezone, new Date()));
        const shop = chooseShop({ seed, weeks, historyWeeks: history, until, timezone, currency });
        const loaded = await load(shop, { ...access, assetId: asset.asset_id }, options.json === true);
        const [costs, events, consents, identities] = [loaded.costs.total, ...counts(loaded)];
        return {
          json: { asset_id: asset.asset_id, seed, from: shop.from, to: shop.to, ...loaded },
          text:
            `The asset ${asset.asset_id} "${name}" has the shop of seed ${seed}, ${shop.from} to ${shop.to}:\n` +
            `${costs} rows of costs, ${events} events, ${consents} consent records, ${identities} identities.`,
        };
      }),
    );
}

async function load(shop: DemoShop, access: GatewayAccess, quiet: boolean): Promise<LoadedShop> {
  const bar = new ProgressBar(BAR_STEPS, quiet ? { isTTY: false, write: () => true } : process.stderr);
  try {
    return await loadDemoShop(shop, access, (part, step) => {
      bar.show(part * BAR_STEPS, step);
    });
  } finally {
    bar.clear();
  }
}

function chooseShop(options: DemoShopOptions): DemoShop {
  try {
    return demoShop(options);
  } catch (error) {
    throw error instanceof RangeError ? new CommandFailure(error.message) : error;
  }
}

function counts({ events, consent, identities }: LoadedShop): number[] {
  return [events, consent, identities].map(({ accepted }) => accepted);
}

/** Its time zone and currency shape the shop. */
async function findAsset(env: NodeJS.ProcessEnv, assetId: string | undefined): Promise<AssetRecord> {
  const assets = await withDatabase(env, (dataSource) => new AccessAdmin(dataSource).listAssets());
  const [asset, ...others] = assets.filter(({ asset_id }) => [undefined, asset_id].includes(assetId?.toLowerCase()));
  if (asset === undefined) throw new CommandFailure(`There is no asset ${assetId ?? 'yet'}.`);
  if (others.length > 0) throw new CommandFailure('There are several assets: name one with --asset.');
  return asset;
}

function wholeUpTo(highest: number, lowest = 1): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : NaN;
    if (!(number >= lowest && number <= highest))
      throw new InvalidArgumentError(`Give a whole number from ${lowest} to ${highest}.`);
    return number;
  };
}
