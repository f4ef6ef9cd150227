// A server as a process of its own, on a free port.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A port that nothing listens on, below those from which systems choose by themselves: until the
 * server has it, no connection of another test takes it.
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.on('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

async function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

/** Returns once something listens on the port; throws when `hasEnded()` or after a minute. */
export async function waitForPort(port, hasEnded) {
  const deadline = Date.now() + 60_000;
  while (!(await accepts(port))) {
    if (hasEnded() || Date.now() > deadline) throw new Error(`nothing listens on port ${port}`);
    await sleep(50);
  }
}

/** Starts `program`, with `--host` and `--port` behind its arguments, and waits until it listens. */
export async function startServer(program, args, folder) {
  const port = await freePort();
  const child = spawn(program, [...args, '--host', '127.0.0.1', '--port', String(port)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (log += text));
  const ended = new Promise((resolve) => child.on('exit', resolve));
  await waitForPort(port, () => child.exitCode !== null).catch((error) => {
    throw new Error(`no server: ${log}`, { cause: error });
  });
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
