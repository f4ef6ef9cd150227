// A generated client in Node calls a process, which calls another one: the spans of all three are one tree, in each
// encoding. The same of the samples, of which one calls the other with its generated client in C++.
// Usage: one_tree_test.mjs PROGRAM CLIENT SHOP SHOP_DIR ORDERS ORDERS_DIR
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { startSample, unhurried } from '../support/sample_process.mjs';
import { startServer } from '../support/server_process.mjs';
import { load, require } from '../typescript_client/support/compile.mjs';
import { Collector, encodings } from './collector.mjs';

const { ROOT_CONTEXT, SpanKind, SpanStatusCode, propagation, trace } = require('@opentelemetry/api');
const { TraceState, W3CTraceContextPropagator } = require('@opentelemetry/core');
const { resourceFromAttributes } = require('@opentelemetry/resources');
const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-base');

const [program, file, shopProgram, shopDir, ordersProgram, ordersDir] = process.argv.slice(2);
const { PricesClient, ApiError } = (await load(file)).exports;
propagation.setGlobalPropagator(new W3CTraceContextPropagator());

const sendTo = (collector, serviceName) => ({ endpoint: collector.url, serviceName, exportInterval: 10 });

async function startService(serviceName, collector, encoding, settings) {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-tracing-'));
  mkdirSync(join(folder, 'config'));
  const tracing = { ...sendTo(collector, serviceName), encoding, logs: true };
  writeFileSync(join(folder, 'config/default.json'), JSON.stringify({ server: unhurried, tracing, ...settings }));
  const server = await startServer(program, [], folder);
  return {
    url: server.url,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Makes all calls within one span; returns the spans. */
async function callAll(baseUrl) {
  const finished = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'client' }),
    spanProcessors: [new SimpleSpanProcessor(finished)],
  });
  const tracer = provider.getTracer('test');
  const page = tracer.startSpan('page', {}, ROOT_CONTEXT);
  page.spanContext().traceState = new TraceState('vendor=1');
  const within = trace.setSpan(ROOT_CONTEXT, page);
  let active = within;
  const client = new PricesClient({
    baseUrl,
    timeout: 0,
    retries: 0,
    trace: () => {
      const carrier = {};
      propagation.inject(active, carrier);
      return carrier.traceparent ? carrier : undefined;
    },
  });
  const call = async (operation, id) => {
    const span = tracer.startSpan(operation, { kind: SpanKind.CLIENT }, within);
    active = trace.setSpan(within, span);
    try {
      return await client[operation]({ path: { id } });
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      return error;
    } finally {
      span.end();
    }
  };
  assert.deepEqual(await call('getOrder', 7), { id: 7, currency: 'EUR' });
  await call('getForwarded', 8);
  const error = await call('getOrder', 13);
  assert.ok(error instanceof ApiError);
  assert.equal(error.status, 502);
  page.end();
  await provider.forceFlush();
  return finished.getFinishedSpans();
}

/** The tree as indented lines, children in the order of their begin. */
function linesOf(spans, parent = '', indentation = '') {
  return spans
    .filter((span) => span.parent === parent)
    .sort((a, b) => Number(a.begin - b.begin))
    .flatMap((span) => [
      `${indentation}${span.service}: ${span.name}${span.hasFailed ? ' (failed)' : ''}`,
      ...linesOf(spans, span.id, `${indentation}  `),
    ]);
}

const expected = `
client: page
  client: getOrder
    shop: GET /orders/:id
      shop: validation
      shop: handler
        shop: GET
          prices: GET /prices/:id
            prices: validation
            prices: handler
              prices: look up
  client: getForwarded
    shop: GET /forwarded/:id
      shop: handler
        shop: GET
          prices: GET /prices/:id
            prices: validation
            prices: handler
              prices: look up
  client: getOrder (failed)
    shop: GET /orders/:id (failed)
      shop: validation
      shop: handler (failed)
        shop: GET (failed)
          prices: GET /prices/:id (failed)
            prices: validation
            prices: handler (failed)
              prices: look up (failed)
`
  .trim()
  .split('\n');

const server = 2;
const outbound = 3;

for (const encoding of Object.keys(encodings)) {
  test(`tracing: a client and two processes have one tree, in ${encoding}`, async () => {
    const collector = await Collector.start(encoding);
    const started = [];
    try {
      const start = async (...args) => started[started.push(await startService(...args)) - 1].url;
      const prices = await start('prices', collector, encoding, {});
      const shop = await start('shop', collector, encoding, {
        fetch: { timeout: 600_000, proxy: [{ name: 'prices', baseURL: prices, timeout: 600_000 }] },
        app: { prices },
      });
      await collector.send(await callAll(shop));

      const spans = await collector.spans((all) => all.length >= expected.length);
      assert.deepEqual(linesOf(spans), expected);
      assert.equal(spans.length, expected.length); // none is outside of the tree
      assert.equal(new Set(spans.map((span) => span.trace)).size, 1);
      assert.equal(new Set(spans.map((span) => span.id)).size, spans.length);
      for (const span of spans) {
        assert.ok(span.begin <= span.end, span.name);
        assert.equal(span.hasRemoteParent, span.kind === server, span.name);
        if (span.kind === server) assert.equal(span.state, 'vendor=1');
      }

      // Each caller knows of the same request as the service that it has called.
      const byId = new Map(spans.map((span) => [span.id, span]));
      for (const called of spans.filter((span) => span.kind === server)) {
        const caller = byId.get(called.parent);
        assert.equal(caller.kind, outbound);
        if (caller.service === 'client') continue;
        const status = 'http.response.status_code';
        assert.equal(caller.attributes[status], called.attributes[status]);
        assert.ok(caller.attributes['url.full'].endsWith(called.attributes['url.path']));
      }
      const lookUps = spans.filter((span) => span.name === 'look up');
      for (const { attributes } of lookUps) {
        const { 'error.type': type, ...others } = attributes;
        assert.ok(type === undefined || type === 'declined');
        assert.deepEqual(others, {
          'price.currency': '€',
          'price.discount': -7n,
          'price.serial': 2n ** 53n - 1n,
          'price.rate': 0.5,
          'price.is_new': true,
          'price.is_old': false,
        });
      }
      const logged = spans.flatMap((span) => span.events.map(({ attributes }) => attributes));
      const lines = logged.filter(({ message }) => message === 'the price is low');
      assert.deepEqual(lines, Array(3).fill({ level: 'warn', message: 'the price is low', left: 3n }));
    } finally {
      for (const service of started) await service.stop();
      await collector.stop();
    }
  });
}

test('tracing: a handler that calls with a generated client in C++ has one tree with what it calls', async () => {
  const collector = await Collector.start('json');
  const started = [];
  try {
    const start = async (name, sampleProgram, folder, folders, app) => {
      const local = { tracing: sendTo(collector, name), app };
      const sample = await startSample(sampleProgram, folder, { folders, local });
      started.push(sample);
      return sample.url;
    };
    const orders = await start('orders', ordersProgram, ordersDir, ['config', 'locales'], {});
    const shop = await start('shop', shopProgram, shopDir, ['config'], { orders: { url: orders, timeout: 600_000 } });
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01`, tracestate: 'vendor=1' };
    const response = await fetch(`${shop}/cart/add/1`, { headers });
    assert.equal(response.status, 200);
    await response.text();
    // Of the stages, only those that both have.
    const names = ['GET /cart/add/:id', 'GET /products/:id', 'handler'];
    const ofInterest = (all) => all.filter(({ name }) => names.includes(name));
    const spans = ofInterest(await collector.spans((all) => ofInterest(all).length >= 4));
    assert.deepEqual(linesOf(spans, 'b7ad6b7169203331'), [
      'shop: GET /cart/add/:id',
      '  shop: handler',
      '    orders: GET /products/:id',
      '      orders: handler',
    ]);
    for (const span of spans) assert.equal(span.trace, trace);
  } finally {
    for (const sample of started) await sample.stop();
    await collector.stop();
  }
});
