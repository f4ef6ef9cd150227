// Every operation of the running orders sample through its generated client, in Node.
// Usage: node orders_test.mjs ORDERS_PROGRAM SAMPLE_DIR ORDERS_CLIENT
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from './support/compile.mjs';
import { Recorder } from './support/recorder.mjs';
import { startOrders } from '../support/orders_sample.mjs';
import { useOrders } from './support/use_orders.mjs';

const [program, sampleDir, file] = process.argv.slice(2);
const { exports } = await load(file);

test('typescript client: success and failure of every operation', async () => {
  const sample = await startOrders(program, sampleDir);
  try {
    const done = await useOrders(exports, sample.url);
    const operations = Object.getOwnPropertyNames(exports.OrdersClient.prototype);
    operations.splice(operations.indexOf('constructor'), 1);
    assert.deepEqual(
      operations.filter((name) => !done.includes(name)),
      [],
    );
  } finally {
    await sample.stop();
  }
});

test("typescript client: a body that is not JSON is the service's error 400", async () => {
  const sample = await startOrders(program, sampleDir);
  try {
    // What no typed caller can send, through the same client.
    const garbled = new exports.OrdersClient({
      baseUrl: sample.url,
      fetch: (target, init) => fetch(target, { ...init, body: '{' }),
    });
    const error = await garbled.createOrder({ body: {} }).catch((failure) => failure);
    assert.ok(error instanceof exports.ApiError && !(error instanceof exports.ValidationFailure));
    assert.equal(error.status, 400);
    assert.match(error.message, /invalid JSON/);
  } finally {
    await sample.stop();
  }
});

test('typescript client: an error status is kept, whatever its body', async () => {
  const responses = [
    { status: 403, body: '{"code": "AUTH_FORBIDDEN", "message": "Forbidden", "requestId": "r1"}' },
    { status: 500, body: '<html>', headers: { 'x-request-id': 'r2' } },
    {
      status: 422,
      body: '{"code": 422, "message": "no", "errors": [{"field": 1}], "requestId": "r3"}',
    },
    { status: 418, body: '[]' },
    { status: 304, body: '' },
  ];
  const recorder = await Recorder.start(responses);
  try {
    const client = new exports.OrdersClient({ baseUrl: recorder.url });
    const errors = [];
    for (const _ of responses) errors.push(await client.health().catch((error) => error));
    assert.deepEqual(
      errors.map(({ name, status, code, message, requestId }) => [name, status, code, message, requestId]),
      [
        ['ApiError', 403, 'AUTH_FORBIDDEN', 'Forbidden', 'r1'],
        ['ApiError', 500, 500, 'Internal Server Error', 'r2'],
        ['ApiError', 422, 422, 'no', 'r3'],
        ['ApiError', 418, 418, "I'm a Teapot", undefined],
        ['ApiError', 304, 304, 'Not Modified', undefined],
      ],
    );
  } finally {
    await recorder.stop();
  }
});
