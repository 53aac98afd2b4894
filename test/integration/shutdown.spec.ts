import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { startService } from '../support/service.js';

it('a client that has stalled in the middle of its request does not hold up a shutdown for good', async () => {
  const service = await startService();
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('POST /api/v1/cost-import HTTP/1.1\r\nHost: x\r\nContent-Le');
  const begin = Date.now();
  await service.stop();
  expect(Date.now() - begin).toBeLessThan(25_000);
  socket.destroy();
});
