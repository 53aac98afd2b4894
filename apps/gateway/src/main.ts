import { hostname } from 'node:os';
import { v4 as uuidv4 } from 'uuid';
import { connectMessaging } from '#messaging/connect-messaging.js';
import { createApp, runProcess } from '#runtime/bootstrap.js';
import { loadConfig } from '#runtime/config.js';
import { HttpConfig } from '#runtime/http.config.js';
import { GatewayModule } from './gateway.module.js';

await runProcess('gateway', async () => {
  const { PORT, HOST } = loadConfig(HttpConfig);
  const app = await createApp(GatewayModule);
  await connectMessaging(app, {
    groupId: `gateway-waiters-${hostname()}-${uuidv4().slice(0, 8)}`,
    fromBeginning: false,
  });
  await app.listen(PORT, HOST);
});
