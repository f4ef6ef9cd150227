// The shop of samples/pages in front of samples/orders.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import test from 'node:test';

import { admin, browser, orders, page, properties, screenshots, shop, shopProgram, startShop } from './pages_setup.mjs';
import { Visitor, ada, order } from './shop_visitor.mjs';

const require = createRequire(new URL('../../../tools/npm/', import.meta.url));
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

async function checkAccessibility() {
  // By the protocol of the browser, which the security policy of the page does not stop.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  assert.deepEqual(
    serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    [],
  );
}

const devices = [
  ['desktop', { width: 1280, height: 800 }],
  ['phone', { width: 390, height: 844 }],
];

/** Checks the page that is shown, on a desktop with light colors, and on a phone with dark ones. */
async function checkPage(name) {
  for (const [i, [device, size]] of devices.entries()) {
    await page.setViewportSize(size);
    for (const [j, colorScheme] of ['light', 'dark'].entries()) {
      if (i !== j && !screenshots) continue;
      await page.emulateMedia({ colorScheme });
      if (i === j) await checkAccessibility();
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.equal(overflow, 0, `${name} is wider than a ${device}`);
      if (screenshots) {
        const file = `${name}-${device}-${colorScheme}.png`;
        await page.screenshot({ path: join(screenshots, file), fullPage: true });
      }
    }
  }
}

async function visit(path, name) {
  const response = await page.goto(shop.url + path);
  await checkPage(name);
  return response;
}

test('shop: the list of products is one stored page', async () => {
  await visit('/', 'list');
  assert.deepEqual(await page.locator('.card .price').allInnerTexts(), ['42.00 €', '59.00 €', '9.50 €', '30.00 €']);
  assert.equal(await page.title(), 'Fairway Shop');
  const responses = await Promise.all([...Array(20)].map(() => fetch(shop.url)));
  for (const response of responses) {
    assert.equal(response.status, 200);
    assert.match(response.headers.get('x-cache'), /^(HIT|STALE)$/);
  }
});

test('shop: product pages are static, and a product without a static page is sold too', async () => {
  await visit('/products/1', 'product');
  assert.equal(await page.locator('h1').innerText(), 'The Compiler Book');
  assert.equal(await page.title(), 'The Compiler Book – Fairway Shop');
  assert.equal((await fetch(`${shop.url}/products/4`)).status, 404);
  await page.goto(shop.url);
  await page.getByRole('link', { name: 'Go', exact: true }).click();
  assert.equal(await page.locator('h1').innerText(), 'Go');
  assert.equal(await page.locator('.price').innerText(), '30.00 €');
  assert.equal((await fetch(`${shop.url}/cart/add/5`)).status, 404);
});

test('shop: the cart is filled, changed and ordered', async () => {
  await visit('/cart', 'cart-empty');
  await page.goto(`${shop.url}/products/1`);
  await page.getByRole('link', { name: 'Add to the cart' }).click();
  await page.getByLabel('Quantity').fill('2');
  await page.getByRole('button', { name: 'Put into the cart' }).click();
  await page.waitForURL('**/cart');
  assert.match(await page.locator('main').innerText(), /2 × 42\.00 €\s+84\.00 €/);
  await visit('/cart/add/2', 'add');
  await page.getByRole('button', { name: 'Put into the cart' }).click();
  await visit('/cart', 'cart');
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Remove Wooden Chess Set' }).click()]);
  assert.equal(await page.locator('.line').count(), 1);

  const rejected = page.waitForResponse((response) => response.status() === 422);
  await order(page, { ...ada, email: 'ada@example.com', zip: '1' });
  await rejected;
  assert.equal(await page.getByRole('alert').innerText(), 'Nothing has been ordered yet. Please correct the form.');
  await page.waitForLoadState();
  assert.deepEqual(await properties(page, '.field input', 'value'), [
    'Ada',
    'ada@example.com',
    '12 St James Square',
    '1',
    'London',
  ]);
  assert.deepEqual(await page.locator('.error').allInnerTexts(), ['Postal code must be at least 3 characters long.']);
  await checkPage('cart-rejected');
  await order(page, { zip: ada.zip });
  assert.equal(await page.getByRole('status').innerText(), 'Thank you. Your order 1 has been placed: 84.00 €.');
  await checkPage('cart-ordered');

  // The customer of the session is known now.
  await page.goto(`${shop.url}/cart/add/3`);
  await page.getByRole('button', { name: 'Put into the cart' }).click();
  assert.equal(await page.locator('.order strong').innerText(), 'Ada');
  await checkPage('cart-known');
  await order(page, {});
  await page.getByRole('status').waitFor();
  await visit('/account', 'account');
  assert.equal(await page.locator('h1').innerText(), 'Hello, Ada');
  assert.deepEqual(await properties(page, '#orders li > *'), [
    'Order 2',
    '1 × Pocket Screwdriver',
    '9.50 €',
    'Order 1',
    '2 × The Compiler Book',
    '84.00 €',
  ]);
  assert.deepEqual(
    (await admin(orders, 'GET', '/orders')).map(({ customerId, totalCents }) => [customerId, totalCents]),
    [
      [1, 8400],
      [1, 950],
    ],
  );
});

test('shop: a product that is no longer sold is removed from the cart', async () => {
  for (const id of [1, 4]) {
    await page.goto(`${shop.url}/cart/add/${id}`);
    await page.getByRole('button', { name: 'Put into the cart' }).click();
    await page.waitForURL('**/cart');
  }
  await admin(orders, 'DELETE', '/admin/products/4');
  const rejected = page.waitForResponse((response) => response.status() === 409);
  await page.getByRole('button', { name: 'Order', exact: true }).click();
  await rejected;
  assert.equal(
    await page.getByRole('alert').innerText(),
    'Something is no longer for sale, and has been taken out of your cart.',
  );
  await page.waitForLoadState();
  assert.equal(await page.locator('.line').count(), 1);
  await page.goto(`${shop.url}/cart`);
  assert.equal(await page.getByRole('alert').count(), 0);
  assert.equal((await admin(orders, 'GET', '/orders')).length, 2);
});

test('shop: a form without a CSRF token is rejected', async () => {
  const response = await fetch(`${shop.url}/cart`, {
    method: 'POST',
    headers: { accept: 'text/html' },
    body: new URLSearchParams({ id: '1', quantity: '1' }),
  });
  assert.equal(response.status, 403);
  assert.match(await response.text(), /could not be shown \(status 403\)/);
});

test('shop: it works without JavaScript', async () => {
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const visitor = await plain.newPage();
  await visitor.goto(`${shop.url}/products/3`);
  await visitor.getByRole('link', { name: 'Add to the cart' }).click();
  await visitor.getByRole('button', { name: 'Put into the cart' }).click();
  assert.ok(await visitor.locator('noscript').isHidden());
  await order(visitor, { ...ada, email: 'ada@example.com' });
  assert.equal(
    await visitor.locator('.error').innerText(),
    'E-mail address is registered already; please use another one.',
  );
  await order(visitor, { email: 'ada2@example.com' });
  await visitor.getByRole('status').waitFor();
  assert.match(await visitor.locator('main').innerText(), /Your order 3 has been placed: 9\.50 €/);
  await visitor.goto(`${shop.url}/account`);
  assert.ok(await visitor.locator('noscript').isVisible());
  await plain.close();
});

/** An orders API whose operations succeed, except those that have another response in `responses`. */
async function startFakeOrders(responses, requestIds) {
  const product = { id: 1, name: 'Tea', category: 'tools', priceCents: 100 };
  const customer = { id: 1, name: 'Ada', email: 'a@example.com', address: { street: 'A', city: 'B' } };
  const usual = {
    'GET /products': [200, [product]],
    'GET /products/1': [200, product],
    'POST /customers': [201, customer],
    'POST /orders': [201, { id: 7, customerId: 1, status: 'open', items: [], totalCents: 100 }],
  };
  const server = createServer((request, response) => {
    const operation = `${request.method} ${request.url.split('?')[0]}`;
    requestIds.push(request.headers['x-request-id']);
    const known = responses[operation] ?? usual[operation];
    if (known === 'none') return;
    const [status, data] = known;
    const body = status < 400 ? { data } : { code: data, message: 'no' };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('shop: visitors see an error page if the orders API fails', async () => {
  const responses = {};
  const requestIds = [];
  const api = await startFakeOrders(responses, requestIds);
  const front = await startShop(shopProgram, api.url);
  const impatient = await startShop(shopProgram, api.url, { app: { orders: { url: api.url, timeout: 1000 } } });
  try {
    const visitor = new Visitor(front.url);
    const expect = async (status, message, { status: actual, html }) => {
      assert.equal(actual, status);
      assert.equal(/<h1>(.*)<\/h1>/.exec(html)[1], message);
      assert.match(html, new RegExp(`could not be shown \\(status ${status}\\)`));
    };
    responses['GET /products/1'] = 'none';
    const slow = await new Visitor(impatient.url).open('/cart/add/1');
    await expect(504, 'The shop is too busy', slow);
    // The request may still be on its way to this process.
    while (requestIds.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(requestIds, [slow.requestId]);
    responses['GET /products/1'] = [500, 500];
    await expect(502, 'Something is wrong in the shop', await visitor.open('/cart/add/1'));
    responses['GET /products/1'] = [200, { id: 'one' }];
    await expect(502, 'Something is wrong in the shop', await visitor.open('/cart/add/1'));
    delete responses['GET /products/1'];

    await visitor.put(1);
    assert.equal((await visitor.send('/cart', { id: 1, quantity: 10 })).status, 422);
    assert.equal((await visitor.send('/cart', { id: 1, quantity: 9 })).status, 302);
    assert.match((await visitor.open('/cart')).html, /<p>9 × 1\.00 €/);
    const { cookie } = visitor;
    responses['POST /orders'] = [500, 500];
    await expect(
      502,
      'Something is wrong in the shop',
      await visitor.send('/cart/order', { ...ada, email: 'a@example.com' }),
    );
    // The customer is registered, in a session with a new id, and the cart is still full.
    assert.notEqual(visitor.cookie, cookie);
    assert.match((await visitor.open('/cart')).html, /Ordering as <strong>Ada/);
    responses['POST /orders'] = [404, 'PRODUCT_NOT_FOUND'];
    await expect(
      409,
      'Something in your cart is no longer for sale. Nothing has been ordered.',
      await visitor.send('/cart/order', {}),
    );
    responses['POST /orders'] = [404, 'CUSTOMER_NOT_FOUND'];
    const unknown = await visitor.send('/cart/order', {});
    assert.equal(unknown.status, 409);
    assert.match(unknown.html, /do not know you any more.*autocomplete="address-line1"/s);
    delete responses['POST /orders'];
    assert.equal((await visitor.send('/cart/order', { ...ada, email: 'a@example.com' })).status, 302);
    assert.match((await visitor.open('/cart?ordered=1')).html, /Your order 7 has been placed/);
    await visitor.put(1);
    for (let i = 0; i < 20; ++i) {
      await visitor.send('/cart/order', {});
      await visitor.send('/cart', { id: 1, quantity: 1 });
    }
    assert.equal((await visitor.open('/account')).html.match(/"total"/g).length, 20);

    await api.stop();
    for (const path of ['/', '/cart/add/1']) {
      await expect(503, 'The shop is closed for a moment', await visitor.open(path));
    }
    assert.equal((await visitor.open('/products/1')).status, 200);
    await expect(503, 'The shop is closed for a moment', await visitor.open('/cart'));
    assert.equal((await visitor.send('/cart', { id: 1, quantity: 0 })).status, 302);
    assert.equal((await visitor.open('/cart')).status, 200);
  } finally {
    await impatient.stop();
    await front.stop();
    await api.stop();
  }
});

test('pages: client_only sends the data and an empty body', async () => {
  const response = await fetch(`${shop.url}/account`);
  const html = await response.text();
  assert.match(html, /<script type="application\/json" id="page-data">\{"name":"","orders":\[\],"productsInCart":0\}/);
  assert.doesNotMatch(html, /<h1>/);
});

test('pages: errors are a page for browsers and JSON for other clients', async () => {
  await visit('/nothing/here', 'error-404');
  assert.equal(await page.locator('h1').innerText(), 'Not Found');
  assert.equal((await (await fetch(`${shop.url}/nothing`)).json()).code, 404);
});
