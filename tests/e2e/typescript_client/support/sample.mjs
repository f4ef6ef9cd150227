// The orders sample as a process of its own, with a fresh database.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A port that nothing listens on. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

export async function startOrders(program, sampleDir) {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-orders-'));
  for (const name of ['config', 'locales']) {
    cpSync(join(sampleDir, name), join(folder, name), { recursive: true });
  }
  // A user without any role.
  const tokens = { 'demo-clerk-token': { userId: '2', roles: [] } };
  writeFileSync(join(folder, 'config/local.json'), JSON.stringify({ app: { tokens } }));
  const port = await freePort();
  const child = spawn(program, ['--host', '127.0.0.1', '--port', String(port)], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk) => (log += chunk));
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const deadline = Date.now() + 30_000;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`no sample: ${log}`);
    await sleep(50);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
