// Whether requests are lost while certificates, workers and processes are replaced, over HTTP/1.1 and HTTP/2 with TLS:
// `node restarts.mjs --build DIR [--certificates 100] [--reloads 50] [--successors 50]`. Needs openssl. Exits with 1 if one was lost.
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import * as http2 from 'node:http2';
import * as https from 'node:https';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { parseArgs } from 'node:util';
import { makeCertificate } from './certificate.mjs';
import { Server, commands } from './servers.mjs';

const { values: options } = parseArgs({
  options: {
    build: { type: 'string', default: 'build/bench' },
    certificates: { type: 'string', default: '100' },
    reloads: { type: 'string', default: '50' },
    successors: { type: 'string', default: '50' },
    port: { type: 'string', default: '18180' },
  },
});
const kPort = Number(options.port);
const kClients = 2; // of each kind
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * A request of HTTP/1.1: "done", or why not. A kept connection may be closed between two requests, with no byte of a response: HTTP
 * lets the client send it again.
 */
function askOnce(port, agent) {
  return new Promise((resolve) => {
    const request = https.get(
      { port, host: '127.0.0.1', path: '/hello', agent, rejectUnauthorized: false },
      (response) => {
        response.resume();
        response.on('end', () =>
          resolve(response.complete && response.statusCode === 200 ? 'done' : `${response.statusCode}`),
        );
        response.on('error', (error) => resolve(error.message));
      },
    );
    request.on('error', (error) => resolve(request.reusedSocket && !request.res ? 'again' : error.message));
  });
}

/** The same of HTTP/2. What the server has refused, and what was not sent because the connection ends, is sent again. */
function askStream(session) {
  return new Promise((resolve) => {
    let status = 0;
    let hasEnded = false;
    let stream;
    try {
      stream = session.request({ ':path': '/hello' });
    } catch {
      resolve('again');
      return;
    }
    stream.on('response', (fields) => (status = fields[':status']));
    stream.on('end', () => (hasEnded = true));
    stream.resume();
    let error;
    stream.on('error', (one) => (error = one));
    stream.on('close', () => {
      const isRefused = stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM || stream.id === undefined;
      if (status === 200 && hasEnded && !error) resolve('done');
      else resolve(isRefused ? 'again' : (error?.message ?? `status ${status}`));
    });
  });
}

/** Clients of each kind; `stop` resolves with [kind, done, again, lost] of each. */
function load(port) {
  let ends = false;
  const counts = {};
  const lost = [];
  const note = (kind, result) => {
    counts[kind] ??= { done: 0, again: 0, lost: 0 };
    ++counts[kind][result === 'done' || result === 'again' ? result : 'lost'];
    if (result !== 'done' && result !== 'again') lost.push(`${kind}: ${result}`);
  };
  const kinds = [
    async () => {
      while (!ends) note('HTTP/1.1, new connections', await askOnce(port, false));
    },
    async () => {
      const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
      while (!ends) note('HTTP/1.1, kept connections', await askOnce(port, agent));
      agent.destroy();
    },
    async () => {
      let session;
      while (!ends) {
        if (!session || session.closed || session.destroyed) {
          session = http2.connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
          session.on('error', (error) => note('HTTP/2', `connection: ${error.message}`));
        }
        const current = session;
        for (const result of await Promise.all(Array.from({ length: 4 }, () => askStream(current))))
          note('HTTP/2', result);
      }
      session?.close();
    },
  ];
  const running = kinds.flatMap((kind) => Array.from({ length: kClients }, kind));
  return async () => {
    ends = true;
    await Promise.all(running);
    for (const one of new Set(lost)) console.error(`lost: ${one}`);
    return Object.entries(counts);
  };
}

function fingerprint(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

async function until(what, holds) {
  for (let tries = 0; !(await holds()); ++tries) {
    if (tries > 3000) throw new Error(`not within a minute: ${what}`);
    await sleep(20);
  }
}
function inLog(server, text) {
  const file = join(server.directory, 'access.log');
  return existsSync(file) ? readFileSync(file, 'utf8').split(text).length - 1 : 0;
}

let isLost = false;
async function measure(title, start, replace, times) {
  let server = await start();
  const stop = load(server.port);
  const began = performance.now();
  try {
    for (let i = 0; i < times; ++i) {
      await sleep(100);
      server = await replace(server, i + 1);
    }
  } finally {
    const seconds = (performance.now() - began) / 1000;
    for (const [kind, { done, again, lost }] of await stop()) {
      isLost ||= lost > 0;
      console.log(`| ${times} ${title} | ${kind} | ${done} | ${again} | ${lost} | ${seconds.toFixed(0)} |`);
    }
    await server.stop();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'bench-restarts-'));
const before = loadavg()[0];
try {
  const files = makeCertificate(folder, 'server');
  const config = { accessLog: { enabled: false }, server: { tls: files } };
  const start = (port, more) =>
    Server.start('fairway', commands(options.build, port).fairway, port, {}, { ...config, ...more });
  console.log('| replaced | clients | responses | sent again | lost | s |\n|---|---|--:|--:|--:|--:|');

  await measure(
    'certificates',
    () => start(kPort),
    async (server) => {
      const old = await fingerprint(server.port);
      const renewed = makeCertificate(folder, 'renewed');
      renameSync(renewed.key, files.key);
      renameSync(renewed.certificate, files.certificate);
      server.child.kill('SIGHUP');
      await until('a new certificate', async () => (await fingerprint(server.port)) !== old);
      return server;
    },
    Number(options.certificates),
  );
  await measure(
    'reloads of a cluster with two workers',
    () => start(kPort + 1, { cluster: { enabled: true, workers: 2 } }),
    async (server, number) => {
      server.child.kill('SIGHUP');
      await until('a reload', () => inLog(server, 'reloaded: all workers have been replaced') >= number);
      return server;
    },
    Number(options.reloads),
  );
  const shared = { server: { ...config.server, reusePort: true } };
  await measure(
    'processes by a successor',
    () => start(kPort + 2, shared),
    async (server) => {
      const successor = await start(kPort + 2, shared);
      await until('a successor', () => inLog(successor, 'listening on') > 0);
      const ended = new Promise((resolve) => server.child.on('exit', resolve));
      server.child.kill('SIGTERM');
      await ended;
      await server.stop();
      return successor;
    },
    Number(options.successors),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
  console.log(`\nLoad average ${before.toFixed(1)} before, ${loadavg()[0].toFixed(1)} after.`);
}
process.exitCode = isLost ? 1 : 0;
