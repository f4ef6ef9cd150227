// What each case must receive, checked before a server is put under load: `await check(server, name)`.
import { request } from 'node:http';
import { connect } from 'node:http2';
import { request as requestSecurely } from 'node:https';
import { gunzipSync, gzipSync } from 'node:zlib';
import { articles } from './articles.mjs';
import { order } from './order.mjs';
import { isOwn, kFileSize, prefixes } from './servers.mjs';

const kUpload = 1024 * 1024;
const kTimeout = 10_000; // milliseconds
const json = { 'Content-Type': 'application/json' };
const hello = { path: '/hello', status: 200, data: { message: 'Hello, World!', version: 1, ok: true } };

const kCipher = 'TLS_AES_256_GCM_SHA384'; // of TLS 1.3
/** Servers compress as zlib does with its default level, which makes about so much of the text, or better. */
const kLevel = 6;
const kMargin = 1.05;

// A case has `data`, of a JSON response, or `size`, of text.
const cases = {
  hello,
  short: hello,
  user: { path: '/users/42', status: 200, data: { id: '42', name: 'Ada Lovelace', active: true } },
  order: {
    path: '/orders',
    headers: json,
    body: order,
    invalid: order.replace('"quantity":3', '"quantity":0'),
    status: 201,
    data: { id: 4711, status: 'open', count: 55, total: 2747.25 },
  },
  upload: {
    path: '/upload',
    headers: { 'Content-Type': 'application/octet-stream' },
    body: 'x'.repeat(kUpload),
    status: 200,
    data: { size: kUpload },
  },
  compressed: {
    path: '/articles',
    headers: { 'Accept-Encoding': 'gzip' },
    status: 200,
    data: { items: articles },
    isCompressed: true,
  },
  tls: { ...hello, isSecure: true },
  http2: { ...hello, isHttp2: true },
  file: { path: '/file', status: 200, size: kFileSize },
  static: { path: '/static/file.txt', status: 200, size: kFileSize },
  stream: { path: '/stream', status: 200, size: 256 * 1024, hasAnyType: true },
};

function exchangeHttp2(port, { path, headers = {} }) {
  return new Promise((resolve, reject) => {
    const session = connect(`http://127.0.0.1:${port}`);
    const finish = (then) => (value) => {
      session.destroy();
      then(value);
    };
    session.on('error', finish(reject));
    session.setTimeout(kTimeout, () => finish(reject)(new Error('no response within ten seconds')));
    const call = session.request({ ':path': path, ':method': 'GET', ...headers }); // in the order of h2load
    const parts = [];
    let head = {};
    call.on('response', (fields) => {
      head = fields;
    });
    call.on('data', (part) => parts.push(part));
    call.on('error', finish(reject));
    call.on('end', () =>
      finish(resolve)({
        status: head[':status'],
        type: head['content-type'] ?? '',
        body: Buffer.concat(parts).toString(),
      }),
    );
    call.end();
  });
}

/** {status, type, body}, and `coding` and `raw` of the body as it was sent, and `cipher`. */
function exchange(port, { path, headers = {}, body, isSecure, isHttp2 }) {
  if (isHttp2) return exchangeHttp2(port, { path, headers });
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const options = { port, path, method, headers: { ...headers, ...length }, agent: false, timeout: kTimeout };
    const start = isSecure ? requestSecurely : request;
    const call = start({ ...options, rejectUnauthorized: false }, (response) => {
      const cipher = response.socket.getCipher?.().name;
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const raw = Buffer.concat(parts);
        const coding = response.headers['content-encoding'];
        const type = response.headers['content-type'] ?? '';
        try {
          const text = coding === 'gzip' ? gunzipSync(raw) : raw;
          resolve({ status: response.statusCode, type, coding, raw, body: text.toString(), cipher });
        } catch (error) {
          reject(error); // of gunzipSync
        }
      });
    });
    call.on('timeout', () => call.destroy(new Error('no response within ten seconds')));
    call.on('error', reject);
    call.end(body);
  });
}

/** Members in the order of their names, and numbers without the error of a sum. */
function canonical(data) {
  const sorted = (_, value) => {
    if (typeof value === 'number') return Number(value.toFixed(6));
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort());
  };
  return JSON.stringify(data, sorted);
}

function compressionError({ coding, raw, body }) {
  if (coding !== 'gzip') return `content encoding '${coding}' instead of 'gzip'`;
  const limit = gzipSync(body, { level: kLevel }).length * kMargin;
  return raw.length > limit ? `compressed to ${raw.length} bytes instead of at most ${Math.floor(limit)}` : undefined;
}

function errorOf(response, { status, data, size, hasAnyType, isSecure, isCompressed }, isWrapped) {
  if (response.status !== status) return `status ${response.status} instead of ${status}`;
  if (isSecure && response.cipher !== kCipher) return `cipher ${response.cipher} instead of ${kCipher}`;
  const error = isCompressed && compressionError(response);
  if (error) return error;
  const type = data ? 'application/json' : 'text/plain';
  if (!hasAnyType && response.type.split(';')[0] !== type)
    return `content type '${response.type}' instead of '${type}'`;
  if (!data) {
    const isRight = response.body.length === size && /^x*$/.test(response.body);
    return isRight ? undefined : `a body of ${response.body.length} bytes instead of ${size} times 'x'`;
  }
  let received;
  try {
    received = JSON.parse(response.body);
  } catch {
    return `no JSON: ${response.body}`;
  }
  if (isWrapped) received = received.data; // in Fairway's envelope
  return canonical(received ?? {}) === canonical(data)
    ? undefined
    : `${response.body} instead of ${JSON.stringify(data)}`;
}

/** Throws unless the server's response to the case is right, and an invalid order is rejected. */
export async function check({ name, port }, test) {
  const expected = { ...cases[test], path: `${prefixes[name] ?? ''}${cases[test].path}` };
  if (name === 'nghttpd') expected.hasAnyType = true; // it knows none of a file without an extension
  const fail = (message) => {
    throw new Error(`${name}, ${expected.path}: ${message}`);
  };
  const send = (message) => exchange(port, message).catch((error) => fail(error.message));
  const error = errorOf(await send(expected), expected, isOwn(name));
  if (error) fail(error);
  if (!expected.invalid || name === 'bare') return; // which parses nothing
  const { status } = await send({ ...expected, body: expected.invalid });
  if (status < 400 || status > 499) fail(`status ${status} for an invalid order`);
}
