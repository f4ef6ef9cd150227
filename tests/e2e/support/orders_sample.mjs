// The orders sample as a process of its own, with a fresh database.
import { startSample } from './sample_process.mjs';

export function startOrders(program, sampleDir, flags = []) {
  const tokens = {
    'demo-admin-token': { userId: '1', roles: ['admin'] },
    'demo-guest-token': { userId: '3', roles: [] },
  };
  return startSample(program, sampleDir, {
    folders: ['config', 'locales'],
    local: { app: { tokens } },
    flags,
  });
}
