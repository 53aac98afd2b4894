import { DatabaseConfig } from '#database/database.config.js';
import { IngestConfig, ingestWriters } from '#ingest/ingest.config.js';
import { connectMessaging } from '#messaging/connect-messaging.js';
import { createApp, runProcess } from '#runtime/bootstrap.js';
import { HttpConfig } from '#runtime/http.config.js';
import { loadConfig } from '#runtime/config.js';
import { ReportingModule } from './reporting.module.js';

await runProcess('reporting', async () => {
  const { PORT, HOST } = loadConfig(HttpConfig);
  const batchWriters = ingestWriters(loadConfig(IngestConfig), loadConfig(DatabaseConfig));
  const app = await createApp(ReportingModule);
  await connectMessaging(app, { groupId: 'reporting', fromBeginning: true, batchWriters });
  await app.listen(PORT, HOST);
});
