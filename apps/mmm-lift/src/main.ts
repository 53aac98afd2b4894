import { connectMessaging } from '#messaging/connect-messaging.js';
import { createApp, runProcess } from '#runtime/bootstrap.js';
import { HttpConfig } from '#runtime/http.config.js';
import { loadConfig } from '#runtime/config.js';
import { MmmLiftModule } from './mmm-lift.module.js';

await runProcess('mmm-lift', async () => {
  const { PORT, HOST } = loadConfig(HttpConfig);
  const app = await createApp(MmmLiftModule);
  await connectMessaging(app, { groupId: 'mmm-lift', fromBeginning: true });
  await app.listen(PORT, HOST);
});
