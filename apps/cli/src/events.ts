import { Option, type Command } from 'commander';
import { COLLECT_KINDS, type CollectKind, type CollectReport } from '#contracts/collect/collect-report.js';
import { gatewayAccess, type AccessOptions } from './load-events/gateway-access.js';
import { loadFile } from './load-events/load-file.js';
import type { Session } from './session.js';
import { table } from './table.js';

const SHOWN_ERRORS = 20;

export function addEventsCommands(tallyport: Command, session: Session): void {
  const group = tallyport.command('events').description('what visitors do');
  session
    .command(group, 'load <file>', 'post a file of records to the gateway: NDJSON or CSV, gzip too, of any size')
    .addOption(new Option('--kind <kind>', 'what the records are').choices(COLLECT_KINDS).default('events'))
    .option('--url <url>', 'address of the gateway; else TALLYPORT_URL, else base_url of credentials.json')
    .option('--token <token>', 'API token; else TALLYPORT_TOKEN, else that of credentials.json')
    .option('--asset <id>', 'the asset; not needed when the token sees exactly one')
    .addHelpText(
      'after',
      '\nA CSV file names its columns like the fields; cells of accepted, rejected and distinct_ids hold several texts' +
        '\nwith spaces between them. Bad lines are named and left out, which is no failure. Loading a file again is safe.',
    )
    .action(
      session.answer(async (file: string, options: AccessOptions & { kind: CollectKind; json?: boolean }) => {
        const access = gatewayAccess(options, session.env);
        const progress = options.json === true ? { isTTY: false, write: () => true } : process.stderr;
        const report = await loadFile({ file, kind: options.kind, access, progress });
        return { json: report, text: described(report) };
      }),
    );
}

function described({ accepted, rejected, ip_dropped, errors }: CollectReport): string {
  const lines = [`${accepted} accepted, ${rejected} rejected.`];
  if (ip_dropped > 0) lines.push(`In ${ip_dropped} of the accepted the IP address was none and is kept empty.`);
  if (rejected === 0) return lines.join('\n');
  const shown = errors.slice(0, SHOWN_ERRORS);
  lines.push(
    table(
      ['LINE', 'FIELD', 'CODE', 'REASON'],
      shown.map(({ line, field, code, message }) => [String(line), field, code, message]),
    ),
  );
  if (rejected > shown.length) lines.push(`… and ${rejected - shown.length} more.`);
  return lines.join('\n');
}
