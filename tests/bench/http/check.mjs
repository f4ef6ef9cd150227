// What each case must receive, checked before a server is put under load: `await check(server, name)`.
import { request } from 'node:http';
import { order } from './order.mjs';
import { kFileSize } from './servers.mjs';

const kUpload = 1024 * 1024;
const kTimeout = 10_000; // milliseconds
const json = { 'Content-Type': 'application/json' };
const hello = { path: '/hello', status: 200, data: { message: 'Hello, World!', version: 1, ok: true } };

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
  file: { path: '/file', status: 200, size: kFileSize },
  static: { path: '/static/file.txt', status: 200, size: kFileSize },
  stream: { path: '/stream', status: 200, size: 256 * 1024, hasAnyType: true },
};

function exchange(port, { path, headers = {}, body }) {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const options = { port, path, method, headers: { ...headers, ...length }, agent: false, timeout: kTimeout };
    const call = request(options, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          type: response.headers['content-type'] ?? '',
          body: Buffer.concat(parts).toString(),
        }),
      );
    });
    call.on('timeout', () => call.destroy(new Error('no response within ten seconds')));
    call.on('error', reject);
    call.end(body);
  });
}

/** Members in the order of their names, and numbers without the error of a sum. */
function canonical(data) {
  const round = (value) => (typeof value === 'number' ? Number(value.toFixed(6)) : value);
  const members = Object.entries(data).map(([name, value]) => [name, round(value)]);
  return JSON.stringify(Object.fromEntries(members.sort()));
}

function errorOf(response, { status, data, size, hasAnyType }, isWrapped) {
  if (response.status !== status) return `status ${response.status} instead of ${status}`;
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
  const expected = cases[test];
  const fail = (message) => {
    throw new Error(`${name}, ${expected.path}: ${message}`);
  };
  const send = (message) => exchange(port, message).catch((error) => fail(error.message));
  const error = errorOf(await send(expected), expected, name === 'fairway');
  if (error) fail(error);
  if (!expected.invalid || name === 'bare') return; // which parses nothing
  const { status } = await send({ ...expected, body: expected.invalid });
  if (status < 400 || status > 499) fail(`status ${status} for an invalid order`);
}
