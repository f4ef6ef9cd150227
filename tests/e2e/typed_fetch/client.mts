// openapi-fetch with the types of the orders sample's document, against the running sample:
//   node client.mjs BASE_URL
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './orders.js';

const baseUrl = process.argv[2];
assert(baseUrl !== undefined, 'usage: node client.mjs BASE_URL');
const headers = { authorization: 'Bearer demo-admin-token' };
const api = createClient<paths>({ baseUrl, headers });
const stranger = createClient<paths>({ baseUrl });

// Lists, with query parameters.
const products = await api.GET('/products', { params: { query: { category: 'games', limit: 5 } } });
assert.equal(products.response.status, 200);
const game: components['schemas']['Product'] | undefined = products.data?.data[0];
assert.equal(game?.category, 'games');

// A body, nested.
const customer = await api.POST('/customers', {
  body: {
    name: 'Ada',
    email: 'ada@example.com',
    address: { street: "St James's Square 12", city: 'London' },
  },
});
assert.equal(customer.response.status, 201);
const customerId = customer.data?.data.id;
assert(customerId !== undefined && game !== undefined);

const placed = await api.POST('/orders', {
  body: { customerId, items: [{ productId: game.id, quantity: 2 }] },
});
const order: components['schemas']['Order'] | undefined = placed.data?.data;
assert.equal(order?.totalCents, game.priceCents * 2);
assert.equal(order.note, undefined);

// A path parameter, an enumeration, a response without a body.
const path = { id: order.id };
const paid = await api.PATCH('/orders/{id}', { params: { path }, body: { status: 'paid' } });
assert.equal(paid.data?.data.status, 'paid');
const deleted = await api.DELETE('/orders/{id}', { params: { path } });
assert.equal(deleted.response.status, 204);

// Errors have the documented bodies.
const missing = await api.GET('/orders/{id}', { params: { path } });
assert.equal(missing.response.status, 404);
assert(missing.error !== undefined);
assert.equal(typeof missing.error.requestId, 'string');

const rejected = await api.POST('/orders', { body: { customerId: 0, items: [] } });
assert.equal(rejected.response.status, 422);
const failure = rejected.error as components['schemas']['ValidationError'];
assert.equal(failure.errors[0]?.field, 'customerId');

const admin = { name: 'Abacus', category: 'tools', priceCents: 100 } as const;
const anonymous = await stranger.POST('/admin/products', { body: admin });
assert.equal(anonymous.response.status, 401);
const added = await api.POST('/admin/products', { body: admin });
assert.equal(added.data?.data.name, 'Abacus');

console.log('passed');
