import { DatabaseConfig } from '#database/database.config.js';
import { IngestConfig, ingestWriters } from '#ingest/ingest.config.js';
import { connectMessaging } from '#messaging/connect-messaging.js';
import { createApp, runProcess } from '#runtime/bootstrap.js';
import { HttpConfig } from '#runtime/http.config.js';
import { loadConfig } from '#runtime/config.js';
import { IntegrityModule } from './integrity.module.js';

await runProcess('integrity', async () => {
  const { PORT, HOST } = loadConfig(HttpConfig);
  const writers = ingestWriters(loadConfig(IngestConfig), loadConfig(DatabaseConfig));
  const app = await createApp(IntegrityModule);
  await connectMessaging(app, { groupId: 'integrity', fromBeginning: true, batchWriters: writers });
  await app.listen(PORT, HOST);
});
