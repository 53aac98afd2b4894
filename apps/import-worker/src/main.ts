import { connectMessaging } from '#messaging/connect-messaging.js';
import { createApp, runProcess } from '#runtime/bootstrap.js';
import { HttpConfig } from '#runtime/http.config.js';
import { loadConfig } from '#runtime/config.js';
import { ImportWorkerModule } from './import-worker.module.js';

await runProcess('import-worker', async () => {
  const { PORT, HOST } = loadConfig(HttpConfig);
  const app = await createApp(ImportWorkerModule);
  await connectMessaging(app, { groupId: 'import-worker', fromBeginning: true });
  await app.listen(PORT, HOST);
});
