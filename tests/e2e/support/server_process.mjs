// A server as a process of its own, on a free port.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server that listens there, or undefined if it cannot. */
function listenOn(options) {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(undefined)).listen(options, () => resolve(server));
  });
}

/**
 * A port that nothing listens on, below the ports from which systems choose by themselves, and above
 * the ports of tests in C++: until the server has it, no other test takes it. A socket with a name of
 * its own claims it among the processes of Node until this process ends.
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(21_000, 32_000);
    const claim = await listenOn({ path: `\0fairway-port-${port}` });
    if (!claim) continue;
    claim.unref();
    const server = await listenOn({ port, host: '127.0.0.1' });
    if (!server) continue;
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

const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null;

/** Returns once something listens on the port; throws when the process has ended, or after ten minutes. */
export async function waitForPort(port, child) {
  const deadline = Date.now() + 600_000;
  while (!(await accepts(port))) {
    if (hasEnded(child) || Date.now() > deadline) throw new Error(`nothing listens on port ${port}`);
    await sleep(50);
  }
}

/** Ends a process, if it has not ended, and waits for its end. */
export async function stopProcess(child) {
  if (hasEnded(child)) return;
  const ended = new Promise((resolve) => child.on('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

/** Starts `program`, with `--host` and `--port` after its arguments, and waits until it listens. */
export async function startServer(program, args, folder) {
  const port = await freePort();
  const child = spawn(program, [...args, '--host', '127.0.0.1', '--port', String(port)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (log += text));
  await waitForPort(port, child).catch((error) => {
    throw new Error(`no server: ${log}`, { cause: error });
  });
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    stop: () => stopProcess(child),
  };
}
