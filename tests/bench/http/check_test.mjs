// Tests check.mjs with a server whose responses are right, and wrong in one way at a time.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { articles } from './articles.mjs';
import { makeCertificate } from './certificate.mjs';
import { check } from './check.mjs';
import { kFileSize } from './servers.mjs';

/** The responses of a right server: [status, type, body]. */
function respond(path, body, accepted) {
  const send = (data, status = 200) => [status, 'application/json', JSON.stringify(data)];
  switch (path) {
    case '/hello':
      return send({ version: 1, message: 'Hello, World!', ok: true });
    case '/users/42':
      return send({ id: '42', name: 'Ada Lovelace', active: true });
    case '/upload':
      return send({ size: body.length });
    case '/articles': {
      const [status, type, text] = send({ items: articles });
      return accepted === 'gzip'
        ? [status, type, gzipSync(text), { 'Content-Encoding': 'gzip' }]
        : [status, type, text];
    }
    case '/orders':
    case '/typed/orders': {
      let count = 0;
      let total = 0;
      for (const { quantity, price } of JSON.parse(body).items) {
        if (quantity < 1) return send({ error: 'quantity' }, 422);
        count += quantity;
        total += quantity * price;
      }
      return send({ id: 4711, status: 'open', count, total }, 201);
    }
    default:
      return [200, 'text/plain; charset=utf-8', 'x'.repeat(path === '/stream' ? 256 * 1024 : kFileSize)];
  }
}

/** Calls check with a server that `change` makes wrong; `create` makes it. */
async function checkWith(name, change, peer = 'peer', create = createServer) {
  const server = create(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    try {
      const [status, type, body, more] = change(
        respond(request.url, Buffer.concat(parts).toString(), request.headers['accept-encoding']),
      );
      response.writeHead(status, { 'Content-Type': type, ...more }).end(body);
    } catch {
      request.socket.destroy();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await check({ name: peer, port: server.address().port }, name);
  } finally {
    server.close();
  }
}

const kSame = (response) => response;

test('benchmark check: right responses of every case pass', async () => {
  for (const name of ['hello', 'short', 'user', 'order', 'upload', 'file', 'static', 'stream', 'compressed']) {
    await checkWith(name, kSame);
  }
});

test('benchmark check: a body that is not compressed, or not much, is an error', async () => {
  const text = JSON.stringify({ items: articles });
  await assert.rejects(
    checkWith('compressed', ([status, type]) => [status, type, text]),
    /peer, \/articles: content encoding 'undefined' instead of 'gzip'/,
  );
  await assert.rejects(
    checkWith('compressed', ([status, type, , more]) => [status, type, gzipSync(text, { level: 1 }), more]),
    /compressed to \d+ bytes instead of at most \d+/,
  );
  await assert.rejects(
    checkWith('compressed', ([status, type, , more]) => [status, type, 'text', more]),
    /peer, \/articles: incorrect header check/,
  );
  const other = JSON.stringify({ items: [...articles.slice(1), articles[0]] });
  await assert.rejects(
    checkWith('compressed', ([status, type, , more]) => [status, type, gzipSync(other), more]),
    /instead of \{"items"/,
  );
});

test('benchmark check: another cipher, and a server without TLS, are errors', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-check-'));
  try {
    const { certificate, key } = makeCertificate(folder, 'server');
    const files = { cert: readFileSync(certificate), key: readFileSync(key) };
    const secure = (options) => (handler) => createSecureServer({ ...files, ...options }, handler);
    await checkWith('tls', kSame, 'peer', secure({}));
    await assert.rejects(
      checkWith('tls', kSame, 'peer', secure({ ciphers: 'TLS_AES_128_GCM_SHA256' })),
      /peer, \/hello: cipher TLS_AES_128_GCM_SHA256 instead of TLS_AES_256_GCM_SHA384/,
    );
    await assert.rejects(
      checkWith('tls', kSame, 'peer', secure({ maxVersion: 'TLSv1.2' })),
      /cipher ECDHE-ECDSA-AES\d+-GCM-SHA\d+ instead of/,
    );
    await assert.rejects(checkWith('tls', kSame), /peer, \/hello: /);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('benchmark check: HTTP/2 without it, and with a wrong response, are errors', async () => {
  await checkWith('http2', kSame, 'peer', createHttp2Server);
  await assert.rejects(checkWith('http2', kSame), /peer, \/hello: /);
  await assert.rejects(
    checkWith('http2', ([, type, body]) => [404, type, body], 'peer', createHttp2Server),
    /peer, \/hello: status 404 instead of 200/,
  );
  const withoutType = ([status, , body]) => [status, 'text/plain', body];
  await assert.rejects(checkWith('http2', withoutType, 'peer', createHttp2Server), /content type 'text\/plain'/);
  await checkWith('http2', withoutType, 'nghttpd', createHttp2Server);
});

test("benchmark check: Fairway's data is in the envelope", async () => {
  const wrap = ([status, type, body]) => [status, type, `{"code":0,"data":${body},"requestId":"1"}`];
  await checkWith('hello', wrap, 'fairway');
  await assert.rejects(checkWith('hello', wrap), /\/hello: .* instead of/);
  await assert.rejects(checkWith('hello', kSame, 'fairway'), /fairway, \/hello: .* instead of/);
});

test("benchmark check: Fairway's order with C++ types has a path of its own", async () => {
  const wrap = ([status, type, body]) => [status, type, `{"code":0,"data":${body},"requestId":"1"}`];
  await checkWith('order', wrap, 'typed');
  await assert.rejects(checkWith('order', kSame, 'typed'), /typed, \/typed\/orders: .* instead of/);
});

test('benchmark check: a wrong status, type or body is an error that says so', async () => {
  await assert.rejects(
    checkWith('order', ([, type, body]) => [200, type, body]),
    /peer, \/orders: status 200 instead of 201/,
  );
  await assert.rejects(
    checkWith('hello', ([status, , body]) => [status, 'text/plain', body]),
    /content type 'text\/plain' instead of 'application\/json'/,
  );
  await assert.rejects(
    checkWith('user', ([status, type, body]) => [status, type, body.replace('42', '43')]),
    /instead of \{"id":"42"/,
  );
  await assert.rejects(
    checkWith('hello', ([status, type]) => [status, type, '<p>']),
    /no JSON: <p>/,
  );
  await assert.rejects(
    checkWith('file', ([status, type, body]) => [status, type, body.slice(1)]),
    /a body of 65535 bytes instead of 65536/,
  );
});

test('benchmark check: a server that closes the connection is an error that names it', async () => {
  const close = () => {
    throw new Error('closed');
  };
  await assert.rejects(checkWith('hello', close), /peer, \/hello: socket hang up/);
});

test('benchmark check: a server that accepts an invalid order is an error', async () => {
  const accept = ([status, type, body]) =>
    status === 422 ? [201, type, '{"id":4711,"status":"open","count":55,"total":2747.25}'] : [status, type, body];
  await assert.rejects(checkWith('order', accept), /status 201 for an invalid order/);
  await checkWith('order', accept, 'bare'); // which does not read it
});
