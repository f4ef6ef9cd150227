// The orders sample as a process of its own, with a fresh database.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startServer } from './server_process.mjs';

export async function startOrders(program, sampleDir, flags = []) {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-orders-'));
  for (const name of ['config', 'locales']) {
    cpSync(join(sampleDir, name), join(folder, name), { recursive: true });
  }
  const tokens = {
    'demo-admin-token': { userId: '1', roles: ['admin'] },
    'demo-guest-token': { userId: '3', roles: [] },
  };
  writeFileSync(join(folder, 'config/local.json'), JSON.stringify({ app: { tokens } }));
  const server = await startServer(program, flags, folder);
  return {
    url: server.url,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
