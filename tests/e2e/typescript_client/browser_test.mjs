// The same calls as in Node, from a page in headless Chromium.
// Usage: node browser_test.mjs ORDERS_PROGRAM SAMPLE_DIR ORDERS_CLIENT CHROMIUM
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, request as ask } from 'node:http';
import { after, before, test } from 'node:test';

import { load } from './support/compile.mjs';
import { launchBrowser } from '../support/browser.mjs';
import { startOrders } from '../support/orders_sample.mjs';

const [program, sampleDir, file, chromium] = process.argv.slice(2);
const { script, exports } = await load(file);
const texts = {
  '/': ['text/html', '<!doctype html><title>orders</title>'],
  '/orders.js': ['text/javascript', script],
  '/use_orders.mjs': ['text/javascript', readFileSync(new URL('support/use_orders.mjs', import.meta.url))],
};

let sample, server, browser, page;
const counts = {};

/** The page, its modules, the sample below /api, and addresses that misbehave. */
function serve(request, response) {
  const [, first] = request.url.split('/');
  counts[first] = (counts[first] ?? 0) + 1;
  if (first === 'api') {
    const target = sample.url + request.url.slice('/api'.length);
    const forward = { method: request.method, headers: request.headers };
    const inner = ask(target, forward, (received) => {
      response.writeHead(received.statusCode, received.headers);
      received.pipe(response);
    });
    inner.on('error', () => response.destroy());
    return request.pipe(inner);
  }
  if (first === 'hang') return undefined;
  if (first === 'break') return request.socket.destroy();
  if (first === 'garbage') return response.writeHead(200).end('<html>');
  if (first === 'flaky' && counts.flaky < 3) {
    return response.writeHead(503, { 'retry-after': '0' }).end('{}');
  }
  if (first === 'flaky') return response.writeHead(200).end('{"code": 0, "data": {"status": "ok"}}');
  const [type, text] = texts[request.url] ?? [];
  if (text === undefined) return response.writeHead(404).end();
  return response.writeHead(200, { 'content-type': type }).end(text);
}

before(async () => {
  sample = await startOrders(program, sampleDir);
  server = createServer(serve);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await launchBrowser(chromium, [
    '--disable-gpu',
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ]);
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
});

after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
  await sample?.stop();
});

test('typescript client in a browser: success and failure of every operation', async () => {
  const done = await page.evaluate(async () => {
    const [module, { useOrders }] = await Promise.all(['/orders.js', '/use_orders.mjs'].map((path) => import(path)));
    return useOrders(module, '/api');
  });
  const operations = Object.getOwnPropertyNames(exports.OrdersClient.prototype);
  operations.splice(operations.indexOf('constructor'), 1);
  assert.deepEqual(
    operations.filter((name) => !done.includes(name)),
    [],
  );
});

test('typescript client in a browser: Request drops a cookie header, by which a browser is detected', async () => {
  const hasCookie = await page.evaluate(() =>
    new Request('', { headers: new Headers({ cookie: 'a=b' }) }).headers.has('cookie'),
  );
  assert.equal(hasCookie, false);
});

test('typescript client in a browser: timeouts, aborts, broken connections and retries', async () => {
  const outcomes = await page.evaluate(async () => {
    const { OrdersClient } = await import('/orders.js');
    const outcome = async (baseUrl, options) => {
      const client = new OrdersClient({ baseUrl, retryDelay: 10 });
      const call = client.health({}, options);
      return call.then(
        (data) => data.status,
        (error) => `${error.name} ${error.reason}`,
      );
    };
    return {
      hang: await outcome('/hang', { timeout: 200 }),
      abort: await outcome('/hang', { signal: AbortSignal.timeout(100) }),
      broken: await outcome('/break'),
      garbage: await outcome('/garbage'),
      flaky: await outcome('/flaky'),
      // The page's own origin, which has no such operation.
      own: await new OrdersClient().health().catch((error) => error.status),
    };
  });
  assert.deepEqual(outcomes, {
    hang: 'TransportError timeout',
    abort: 'TransportError aborted',
    broken: 'TransportError network',
    garbage: 'TransportError malformed',
    flaky: 'ok',
    own: 404,
  });
  assert.equal(counts.flaky, 3);
});
