// One load of wrk or h2load on a server, and what came of it.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { here, prefixes } from './servers.mjs';

export const cases = {
  hello: { title: 'GET static JSON', path: '/hello' },
  short: {
    title: 'GET static JSON, a connection each',
    path: '/hello',
    headers: { Connection: 'close' },
    isClosed: true,
  },
  user: { title: 'GET with a parameter', path: '/users/42' },
  order: { title: 'POST of a 1 KB order', path: '/orders', script: join(here, 'load/order.lua') },
  upload: { title: 'POST of 1 MB', path: '/upload', script: join(here, 'load/upload.lua') },
  static: {
    title: 'GET of a static file of 64 KB',
    path: '/static/file.txt',
    config: { static: [{ prefix: '/static', root: 'static' }] },
  },
  compressed: {
    title: 'GET of 10 KB of JSON, compressed with gzip',
    path: '/articles',
    headers: { 'Accept-Encoding': 'gzip' },
    config: { compression: { enabled: true } },
    environment: { BENCH_COMPRESSION: '1' },
  },
  tls: { title: 'GET static JSON over TLS', path: '/hello', isSecure: true },
  http2: {
    title: 'GET static JSON over HTTP/2, 32 streams',
    path: '/hello',
    streams: 32,
    config: { server: { http2: { cleartext: true } } },
    environment: { BENCH_HTTP2: '1' },
  },
  file: { title: 'GET 64 KB', path: '/file' },
  stream: { title: 'GET 256 KB, streamed', path: '/stream' },
};

const kUnits = { us: 1e-3, ms: 1, s: 1e3, m: 6e4 };

function run(command, args, environment) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...environment },
    });
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
    });
    child.on('error', reject);
    child.on('close', (status) => (status === 0 ? resolve(text) : reject(new Error(`${command} failed: ${text}`))));
  });
}

/** The same of h2load, in cleartext with prior knowledge. It measures no percentiles, so that p99 is null. */
async function loadHttp2(server, path, { streams }, connections, seconds) {
  const before = server.cpu();
  const args = [`-t${Math.min(2, connections)}`, `-c${connections}`, `-m${streams}`, `-D${seconds}`];
  const text = await run('h2load', [...args, `http://127.0.0.1:${server.port}${path}`]);
  const used = server.cpu() - before;
  server.truncateLog();
  const number = (pattern) => Number(pattern.exec(text)?.[1] ?? 0);
  const requests = number(/(\d+) 2xx/);
  return {
    rate: requests / seconds,
    cpu: (used / Math.max(requests, 1)) * 1e6,
    p99: null,
    errors: number(/(\d+) done/) - requests + number(/(\d+) errored/) + number(/(\d+) timeout/),
    requests,
  };
}

/**
 * {rate: requests/s, cpu: server us per request, p99: ms, errors}. With `isClosed`, the server ends each connection:
 * wrk counts this as an error of reading if the response has not announced it, which not all servers do.
 */
export async function load(server, test, connections, seconds, environment = {}) {
  const { script, headers = {}, isClosed = false, isSecure = false, streams } = test;
  const path = `${prefixes[server.name] ?? ''}${test.path}`;
  if (streams) return loadHttp2(server, path, test, connections, seconds);
  const before = server.cpu();
  const threads = Math.min(2, connections);
  const args = [`-t${threads}`, `-c${connections}`, `-d${seconds}s`, '--latency', '--timeout', '10s'];
  if (script) args.push('-s', script);
  for (const [name, value] of Object.entries(headers)) args.push('-H', `${name}: ${value}`);
  args.push(`${isSecure ? 'https' : 'http'}://127.0.0.1:${server.port}${path}`);
  const text = await run('wrk', args, environment);
  const used = server.cpu() - before;
  const number = (pattern) => Number(pattern.exec(text)?.[1] ?? 0);
  const requests = number(/(\d+) requests in/);
  const [, amount, unit] = /99%\s+([\d.]+)(us|ms|s|m)\b/.exec(text) ?? [, '0', 'ms'];
  const sockets = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text);
  const [connect, read, write, timeout] = sockets ? sockets.slice(1).map(Number) : [0, 0, 0, 0];
  const errors = number(/Non-2xx or 3xx responses: (\d+)/) + connect + (isClosed ? 0 : read) + write + timeout;
  server.truncateLog();
  return {
    rate: number(/Requests\/sec:\s+([\d.]+)/),
    cpu: (used / Math.max(requests, 1)) * 1e6,
    p99: Number(amount) * kUnits[unit],
    errors,
    requests,
  };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
