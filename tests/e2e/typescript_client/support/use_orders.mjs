// Every operation of the orders sample, success and failure, through its client. Runs unchanged in
// Node and in a browser, so it needs nothing but the client's module.

const admin = 'demo-admin-token';

function equal(actual, expected, what) {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
}

/** Lists what was done; throws at the first surprise. `url` is relative in a browser. */
export async function useOrders(module, url) {
  const { ApiError, OrdersClient, TransportError, ValidationFailure } = module;
  const done = [];
  const settings = { baseUrl: url, timeout: 600_000 };
  const client = new OrdersClient({ ...settings, token: async () => admin });
  const anonymous = new OrdersClient(settings);
  const guest = new OrdersClient({ ...settings, token: () => 'demo-guest-token' });
  const wrong = new OrdersClient({ ...settings, token: 'unknown' });
  const fails = async (what, call, type, check) => {
    let failure;
    await call.catch((error) => (failure = error));
    if (!(failure instanceof type)) throw new Error(`${what}: ${failure}`);
    for (const [name, value] of Object.entries(check)) equal(failure[name], value, `${what}: ${name}`);
    done.push(what);
    return failure;
  };
  const gives = async (what, call, check) => {
    const value = await call;
    for (const [name, expected] of Object.entries(check)) equal(value?.[name], expected, `${what}: ${name}`);
    done.push(what);
    return value;
  };

  await gives('health', client.health(), { status: 'ok' });

  const game = { name: 'Chess & "Go"', category: 'games', priceCents: 4200 };
  const product = await gives('createProduct', client.createProduct({ body: game }), game);
  const path = { id: product.id };
  await gives('getProduct', client.getProduct({ path }), product);
  const dearer = { ...game, priceCents: 5000, description: 'für zwei' };
  await gives('updateProduct', client.updateProduct({ path, body: dearer }), dearer);
  const query = { category: 'games', limit: 100, maxPriceCents: undefined };
  const products = await client.listProducts({ query });
  equal(products.find((one) => one.id === product.id)?.description, 'für zwei', 'listProducts');
  done.push('listProducts');

  const email = `ada+${Math.random().toString(36).slice(2)}@example.com`;
  const ada = { name: 'Ada', email, address: { street: '1 Mill', city: 'London' } };
  const customer = await gives('createCustomer', client.createCustomer({ body: ada }), { email });
  await gives('findCustomer', client.findCustomer({ path: { email } }), { id: customer.id });
  const customers = await client.listCustomers({ query: { limit: 100 } });
  equal(
    customers.some((one) => one.email === email),
    true,
    'listCustomers',
  );
  done.push('listCustomers');

  const items = [{ productId: product.id, quantity: 2 }];
  const order = await gives(
    'createOrder',
    client.createOrder({ body: { customerId: customer.id, items, note: '*/ <b>' } }),
    { status: 'open', totalCents: 10_000, note: '*/ <b>' },
  );
  const orderPath = { id: order.id };
  await gives('getOrder', client.getOrder({ path: orderPath }), { totalCents: 10_000 });
  await gives('updateOrder', client.updateOrder({ path: orderPath, body: { status: 'paid' } }), {
    status: 'paid',
  });
  const paid = await client.listOrders({ query: { status: 'paid' } });
  equal(
    paid.some((one) => one.id === order.id),
    true,
    'listOrders',
  );
  equal((await client.listOrders({ query: { status: 'shipped' } })).length, 0, 'listOrders, none');
  done.push('listOrders');
  equal(await client.deleteOrder({ path: orderPath }), undefined, 'deleteOrder');
  done.push('deleteOrder');

  // The failures that the service tells.
  await fails('401', anonymous.createProduct({ body: game }), ApiError, { status: 401 });
  await fails('401 for orders', anonymous.listOrders(), ApiError, { status: 401 });
  await fails('401 for a wrong token', wrong.deleteProduct({ path }), ApiError, {
    status: 401,
    code: 'AUTH_INVALID',
  });
  await fails('403', guest.createProduct({ body: game }), ApiError, {
    status: 403,
    code: 'AUTH_FORBIDDEN',
  });
  const missing = await fails('404', client.getOrder({ path: { id: 999_999 } }, { requestId: 'abc-123' }), ApiError, {
    status: 404,
    requestId: 'abc-123',
  });
  equal(missing instanceof ValidationFailure, false, '404 is no validation failure');
  await fails(
    '404 with details',
    client.createOrder({
      body: { customerId: customer.id, items: [{ productId: 999_999, quantity: 1 }] },
    }),
    module.ProductNotFound,
    {
      name: 'ProductNotFound',
      code: 'PRODUCT_NOT_FOUND',
      status: 404,
      details: { productId: 999_999 },
    },
  );
  const stranger = client.findCustomer({ path: { email: 'no@example.com' } });
  await fails('404 for a customer', stranger, module.CustomerNotFound, { status: 404 });
  const again = await module.attempt(client.createCustomer({ body: ada }));
  equal(again.code, 'EMAIL_TAKEN', '409 as a value');
  await fails('409', client.createCustomer({ body: ada }), module.EmailTaken, {
    status: 409,
    details: { email },
  });
  const rejected = await fails(
    '422',
    client.createOrder({ body: { customerId: 0, items: [{ productId: 1, quantity: 1000 }] } }),
    ValidationFailure,
    { status: 422, code: 422 },
  );
  equal(
    rejected.fields.map((failure) => failure.field),
    ['customerId', 'items/0/quantity'],
    '422',
  );
  await fails('422 in a query', client.listOrders({ query: { limit: 0 } }), ValidationFailure, {
    status: 422,
  });
  await fails('422 for another text', client.listOrders({ query: { status: 'ajar' } }), ValidationFailure, {
    status: 422,
  });
  await fails('400 in the path', client.getProduct({ path: { id: 0 } }), ValidationFailure, {
    status: 400,
  });

  // Those that come before there is a response.
  const stop = new AbortController();
  stop.abort('enough');
  await fails('aborted', client.health({}, { signal: stop.signal }), TransportError, {
    reason: 'aborted',
    cause: 'enough',
  });

  equal(await client.deleteProduct({ path }), undefined, 'deleteProduct');
  done.push('deleteProduct');
  return done;
}
