// A redis-server of a test, on a free port, that can be stopped and started again.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort, waitForPort } from './server_process.mjs';

export async function startRedis() {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'fairway-redis-'));
  const options = { port, bind: '127.0.0.1', save: '', appendonly: 'no', dir: folder };
  let child;
  const redis = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
      child = spawn('redis-server', words, { stdio: 'ignore' });
      await waitForPort(port, child);
    },
    /** The number of connections that have subscribed to a channel. */
    subscribers(channel) {
      const words = ['-p', String(port), 'PUBSUB', 'NUMSUB', channel];
      return Number(spawnSync('redis-cli', words, { encoding: 'utf8' }).stdout.split('\n')[1]);
    },
    /** Ends it at once, as a crash does. */
    async stop() {
      const ended = new Promise((resolve) => child.on('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
    async remove() {
      await redis.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await redis.start();
  return redis;
}
