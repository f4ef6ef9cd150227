// A sample as a process of its own, in a fresh folder with copies of what it reads.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startServer } from './server_process.mjs';

/** Of `server`: a busy machine meets no limit of time between two steps of a test, or of many requests at once. */
export const unhurried = { keepAliveTimeout: 600_000, queueTimeout: 0 };

/** `folders` are copied from the sample; `local` becomes its layer config/local.json. */
export async function startSample(program, sampleDir, { folders, local = {}, flags = [] }) {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-sample-'));
  for (const name of folders) {
    cpSync(join(sampleDir, name), join(folder, name), { recursive: true });
  }
  writeFileSync(
    join(folder, 'config/local.json'),
    JSON.stringify({ ...local, server: { ...unhurried, ...local.server } }),
  );
  const server = await startServer(program, flags, folder);
  return {
    url: server.url,
    pid: server.pid,
    folder,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
