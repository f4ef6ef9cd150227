// Sends COUNT requests of a case one after the other on one connection:
// `node requests.mjs PORT CASE COUNT`. `node requests.mjs config CASE [SITE] [REDIS_PORT]` prints the
// configuration that the case needs; SITE is a directory for the files that it serves.
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { order } from './order.mjs';

const session = { enabled: true };

// A case has a path, and where it differs from the usual: header lines, a body, a configuration, the
// directory that it serves, whether it needs a session's cookie.
const cases = {
  hello: { path: '/hello' },
  measured: { path: '/hello', config: { admin: { socket: 'admin.sock' } } },
  // Nothing listens there: the cost of making batches is included, the cost of sending them is not.
  traced: { path: '/hello', config: { tracing: { endpoint: 'http://127.0.0.1:1', ratio: 0.1 } } },
  // The others are not recorded.
  'traced-only': {
    path: '/hello',
    config: { tracing: { endpoint: 'http://127.0.0.1:1', ratio: 0.1, errors: false } },
  },
  // None is sent, unless it fails; all are sent, which is ten times as many as usual.
  unsampled: { path: '/hello', config: { tracing: { endpoint: 'http://127.0.0.1:1', ratio: 0 } } },
  sampled: {
    path: '/hello',
    config: { tracing: { endpoint: 'http://127.0.0.1:1', encoding: 'protobuf', ratio: 1, queueSize: 100_000 } },
  },
  user: { path: '/users/42' },
  file: { path: '/file' },
  stream: { path: '/stream' },
  order: { path: '/orders', body: order },
  'typed-hello': { path: '/typed/hello' },
  'typed-order': { path: '/typed/orders', body: order },
  protected: {
    path: '/hello',
    headers: ['Origin: https://app.example'],
    config: {
      cors: { origins: ['https://app.example'] },
      securityHeaders: { enabled: true, preset: 'strict' },
      rateLimit: { enabled: true, max: 1_000_000, window: 1 },
    },
  },
  session: { path: '/session', hasCookie: true, config: { session } },
  redis: {
    path: '/session',
    hasCookie: true,
    config: { session, store: { type: 'redis', url: 'redis://127.0.0.1:REDIS' } },
  },
  cached: { path: '/cached' },
  'not-modified': { path: '/cached', headers: ['If-None-Match: "1"'] },
  page: { path: '/pages/list' },
  'static-page': { path: '/pages/static' },
  static: { path: '/static/file.bin', config: { static: [{ prefix: '/static', root: 'SITE' }] } },
};

function printConfig([name, site, redisPort]) {
  if (site) writeFileSync(join(site, 'file.bin'), Buffer.alloc(64 * 1024, 'x'));
  const config = {
    accessLog: { enabled: true },
    logger: { file: 'access.log' },
    cors: { enabled: false },
    ...cases[name].config,
  };
  console.log(JSON.stringify(config).replaceAll('SITE', site).replaceAll('REDIS', redisPort));
}

function request(port, { path, body, headers = [] }) {
  const lines = [`${body ? 'POST' : 'GET'} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers];
  if (body) lines.push('Content-Type: application/json', `Content-Length: ${body.length}`);
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

function open(port, tries) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', () => {
      if (tries === 0) return reject(new Error(`no server on port ${port}`));
      setTimeout(() => open(port, tries - 1).then(resolve, reject), 100);
    });
  });
}

/** Sends the request and returns the head of the response. */
function exchange(socket, bytes) {
  return new Promise((resolve) => {
    let response = '';
    const read = (data) => {
      response += data.toString('latin1');
      const end = response.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = response.slice(0, end);
      const length = /content-length: (\d+)/i.exec(head);
      const isChunked = /transfer-encoding: chunked/i.test(head);
      const isComplete = isChunked
        ? response.endsWith('0\r\n\r\n')
        : response.length >= end + 4 + Number(length?.[1] ?? 0);
      if (!isComplete) return;
      socket.off('data', read);
      if (!/^HTTP\/1.1 (2\d\d|304)/.test(response)) throw new Error(response);
      resolve(head);
    };
    socket.on('data', read);
    socket.write(bytes);
  });
}

async function send(port, name, count) {
  const test = cases[name];
  const socket = await open(port, 300);
  let bytes = request(port, test);
  if (test.hasCookie) {
    const [, cookie] = /set-cookie: ([^;]*)/i.exec(await exchange(socket, bytes));
    bytes = request(port, { ...test, headers: [`Cookie: ${cookie}`] });
  }
  for (let sent = 0; sent < count; ++sent) await exchange(socket, bytes);
  socket.end();
}

const [first, ...rest] = process.argv.slice(2);
if (first === 'config') {
  printConfig(rest);
} else {
  await send(Number(first), rest[0], Number(rest[1]));
}
