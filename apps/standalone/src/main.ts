import { loadConfig } from '#runtime/config.js';
import { runProcess } from '#runtime/bootstrap.js';
import { HttpConfig } from '#runtime/http.config.js';
import { startEmbedded } from './embedded.js';
import { stopWhenAsked } from './stop-when-asked.js';
import { StandaloneConfig } from './standalone.config.js';

await runProcess('standalone', async () => {
  const { TALLYPORT_HOME: home, LOG_FORMAT } = loadConfig(StandaloneConfig);
  process.env['LOG_FORMAT'] = LOG_FORMAT;
  process.env['LOG_LEVEL'] ||= 'warn';
  const { PORT, HOST } = loadConfig(HttpConfig);
  const embedded = await startEmbedded({ home, port: PORT, host: HOST });
  stopWhenAsked(embedded);
  const { base_url: baseUrl, asset_id: assetId, token } = embedded.credentials;
  process.stdout.write(`
Tallyport listens on ${baseUrl}. Its state is in ${home}, its credentials in ${home}/credentials.json.

Upload a file of advertising costs:

  printf 'date,channel,cost\\n2026-01-04,Google Ads,1250.00\\n2026-01-04,Meta Ads,"1,100.50"\\n' |
    curl -s -X POST '${baseUrl}/api/v1/cost-import?asset_id=${assetId}' \\
      -H 'Authorization: Bearer ${token}' -H 'Content-Type: text/csv' --data-binary @-

Read on: ${baseUrl}/docs. Ctrl-C stops everything.
`);
});
