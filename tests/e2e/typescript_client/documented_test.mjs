// Every operation of the running orders sample, with prism between the client and the sample: each
// response, errors included, is what the document says.
// Usage: node documented_test.mjs ORDERS_PROGRAM SAMPLE_DIR ORDERS_CLIENT PRISM DOCUMENT
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { load } from './support/compile.mjs';
import { startPrism, violationOf } from '../support/prism.mjs';
import { startOrders } from '../support/orders_sample.mjs';
import { useOrders } from './support/use_orders.mjs';

const [program, sampleDir, file, prism, documentFile] = process.argv.slice(2);
const { exports } = await load(file);
const published = JSON.parse(fs.readFileSync(documentFile, 'utf8'));

async function withPrism(document, use) {
  const violations = [];
  const genuine = globalThis.fetch;
  globalThis.fetch = async (...request) => {
    const response = await genuine(...request);
    const violation = await violationOf(response);
    if (violation) violations.push(violation);
    return response;
  };
  const sample = await startOrders(program, sampleDir);
  try {
    const proxy = await startPrism(prism, document, sample.url);
    try {
      return { value: await use(proxy.url), violations };
    } finally {
      await proxy.stop();
    }
  } finally {
    await sample.stop();
    globalThis.fetch = genuine;
  }
}

test('orders: every response matches the OpenAPI document', async () => {
  const { violations } = await withPrism(published, (url) => useOrders(exports, url));
  assert.deepEqual(violations, []);
});

test('orders: a response that does not match the OpenAPI document is detected', async () => {
  const wrong = structuredClone(published);
  const schema = wrong.paths['/health'].get.responses['200'].content['application/json'].schema;
  const envelope = schema.$ref ? wrong.components.schemas[path.basename(schema.$ref)] : schema;
  envelope.properties.code = { type: 'string' };
  const { value, violations } = await withPrism(wrong, (url) =>
    new exports.OrdersClient({ baseUrl: url }).health().catch((error) => error),
  );
  assert.ok(value instanceof exports.ApiError);
  assert.equal(violations.length > 0, true);
});
